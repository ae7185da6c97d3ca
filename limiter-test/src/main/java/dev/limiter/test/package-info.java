/**
 * Support for testing applications with rate limits: a virtual clock ({@link dev.limiter.test.WithVirtualTime} in
 * Spring), assertions for decisions and responses, and {@link dev.limiter.test.WithoutLimits}.
 */
@NullMarked
package dev.limiter.test;

import org.jspecify.annotations.NullMarked;
