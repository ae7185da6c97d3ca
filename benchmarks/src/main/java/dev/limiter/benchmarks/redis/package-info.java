/**
 * The cost of a decision in Redis, beside the peers and beside a script that does nothing: decisions in a second, time
 * of the server for each, memory of the server. Each main class starts a server of its own.
 */
@NullMarked
package dev.limiter.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
