/** Limits the methods that are annotated with {@link dev.limiter.spring.annotation.RateLimiter}. Internal. */
@NullMarked
package dev.limiter.spring.aop;

import org.jspecify.annotations.NullMarked;
