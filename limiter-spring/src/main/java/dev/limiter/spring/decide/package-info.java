/**
 * Decisions of the rules that apply to a request or call. Extension point:
 * {@link dev.limiter.spring.decide.RateLimitListener}.
 * Internal, except for the types in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.spring.decide;

import org.jspecify.annotations.NullMarked;
