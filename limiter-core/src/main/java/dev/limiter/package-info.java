/**
 * The API of programs: rules, limits, decisions, the entry point {@link dev.limiter.RateLimiters}, and the extension
 * points {@link dev.limiter.RateLimiterStrategy}, {@link dev.limiter.RateLimiterStorage} and {@link
 * dev.limiter.TimeSource}. Only the entry point and {@link
 * dev.limiter.RateLimiterFactory} name implementations.
 */
@NullMarked
package dev.limiter;

import org.jspecify.annotations.NullMarked;
