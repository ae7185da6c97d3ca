/** Compiles definitions of rules, and the compiled rules. Internal. */
@NullMarked
package dev.limiter.spring.compile;

import org.jspecify.annotations.NullMarked;
