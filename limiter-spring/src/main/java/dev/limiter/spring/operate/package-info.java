/**
 * Seeing and changing rules while the application runs, for any edge. Internal, but for the types that the manual lists
 * (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.spring.operate;

import org.jspecify.annotations.NullMarked;
