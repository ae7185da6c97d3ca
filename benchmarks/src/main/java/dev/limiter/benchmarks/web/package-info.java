/**
 * The cost of a limit at the edge of an application, beside the peers: one application, limited by ours or by a peer,
 * called by JMH without a server, and called over HTTP.
 */
@NullMarked
package dev.limiter.benchmarks.web;

import org.jspecify.annotations.NullMarked;
