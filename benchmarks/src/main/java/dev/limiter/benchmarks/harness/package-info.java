/** The parts that benchmarks of all kinds share: processes of their own, and the values that they print. */
@NullMarked
package dev.limiter.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
