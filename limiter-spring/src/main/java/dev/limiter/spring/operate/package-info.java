/** Seeing and changing rules while the application runs, for any edge. */
@NullMarked
package dev.limiter.spring.operate;

import org.jspecify.annotations.NullMarked;
