/** Decides for code by the names of rules. Internal. */
@NullMarked
package dev.limiter.spring.template;

import org.jspecify.annotations.NullMarked;
