/** Compiled rules, and the compiler that creates them from definitions. Internal. */
@NullMarked
package dev.limiter.spring.compile;

import org.jspecify.annotations.NullMarked;
