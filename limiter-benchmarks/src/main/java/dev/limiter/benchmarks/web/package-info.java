/**
 * What a limit costs at the edge of an application, beside the peers: one application, limited by ours or by one of
 * theirs, as it is called by JMH without a server, and as it is called over HTTP.
 */
@NullMarked
package dev.limiter.benchmarks.web;

import org.jspecify.annotations.NullMarked;
