/** Shared parts of all benchmarks: child processes, and the values that they print. */
@NullMarked
package dev.limiter.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
