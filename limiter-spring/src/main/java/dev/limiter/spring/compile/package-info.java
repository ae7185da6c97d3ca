/** Checks definitions of rules and compiles them. Internal. */
@NullMarked
package dev.limiter.spring.compile;

import org.jspecify.annotations.NullMarked;
