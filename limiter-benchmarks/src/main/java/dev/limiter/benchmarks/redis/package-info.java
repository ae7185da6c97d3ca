/**
 * What a decision in Redis costs, beside the peers and beside one script that does nothing: how many there are in a
 * second, how busy the server is with each, how much it remembers. Each main class starts a server of its own.
 */
@NullMarked
package dev.limiter.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
