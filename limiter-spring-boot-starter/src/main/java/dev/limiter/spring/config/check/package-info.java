/** Checks and failures of settings and annotations that a context or a type leaves without effect. Internal. */
@NullMarked
package dev.limiter.spring.config.check;

import org.jspecify.annotations.NullMarked;
