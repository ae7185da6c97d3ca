/** Decisions that code requests by rule name. Internal. */
@NullMarked
package dev.limiter.spring.template;

import org.jspecify.annotations.NullMarked;
