/**
 * Measures a limit at the edge of an application, next to other libraries. JMH calls the application without a
 * server, and {@code wrk} over HTTP.
 */
@NullMarked
package dev.limiter.benchmarks.web;

import org.jspecify.annotations.NullMarked;
