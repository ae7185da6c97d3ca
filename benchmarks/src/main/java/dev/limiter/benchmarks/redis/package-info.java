/**
 * Measures decisions in Redis next to other libraries and an empty script: decisions per second, CPU time and
 * memory of the server. Each main class starts its own server.
 */
@NullMarked
package dev.limiter.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
