/** The arithmetic of each algorithm: pure functions of state, time and permits, without storage or clock. Internal. */
@NullMarked
package dev.limiter.algorithm;

import org.jspecify.annotations.NullMarked;
