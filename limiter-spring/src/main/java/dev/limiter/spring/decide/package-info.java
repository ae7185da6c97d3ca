/**
 * Decides the rules that apply to a request or a call: all or nothing. Extension point:
 * {@link dev.limiter.spring.decide.RateLimitListener}.
 * Internal, but for the types that the manual lists (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.spring.decide;

import org.jspecify.annotations.NullMarked;
