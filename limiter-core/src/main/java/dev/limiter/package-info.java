/**
 * The API for applications: rules, limits, decisions and the entry point {@link dev.limiter.RateLimiters}. Extension
 * points are {@link dev.limiter.RateLimiterStrategy}, {@link dev.limiter.RateLimiterStorage} and {@link
 * dev.limiter.TimeSource}. Only the entry point and {@link dev.limiter.RateLimiterFactory} refer to implementations.
 */
@NullMarked
package dev.limiter;

import org.jspecify.annotations.NullMarked;
