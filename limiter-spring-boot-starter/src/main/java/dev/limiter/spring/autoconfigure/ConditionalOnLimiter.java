package dev.limiter.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Matches unless {@code limiter.enabled} is false. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ConditionalOnSetting(value = "limiter.enabled", matchIfMissing = true)
@interface ConditionalOnLimiter {}
