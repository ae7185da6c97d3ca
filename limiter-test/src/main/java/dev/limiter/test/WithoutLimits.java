package dev.limiter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.test.context.TestPropertySource;

/**
 * On a Spring test: no rule and no {@code @RateLimiter} of its application limits anything. The same as
 * {@code limiter.mode=off}; limits that code asks for by {@link dev.limiter.RateLimiters} stay.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@TestPropertySource(properties = "limiter.mode=off")
public @interface WithoutLimits {}
