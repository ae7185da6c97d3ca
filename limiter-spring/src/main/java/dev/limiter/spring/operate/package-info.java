/** Seeing and changing rules while the application runs, whatever the edge through which that is asked for. */
@NullMarked
package dev.limiter.spring.operate;

import org.jspecify.annotations.NullMarked;
