/**
 * For the tests of applications that limit rates: a clock that only the test moves, in Spring by
 * {@link dev.limiter.test.WithVirtualTime}; assertions about decisions and answers; and
 * {@link dev.limiter.test.WithoutLimits}.
 */
@NullMarked
package dev.limiter.test;

import org.jspecify.annotations.NullMarked;
