package dev.limiter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.test.context.TestPropertySource;

/**
 * Turns off all rules and {@code @RateLimiter} annotations in a Spring test, as {@code limiter.mode=off} does. Direct
 * calls of {@link dev.limiter.RateLimiters} are still limited.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@TestPropertySource(properties = "limiter.mode=off")
public @interface WithoutLimits {}
