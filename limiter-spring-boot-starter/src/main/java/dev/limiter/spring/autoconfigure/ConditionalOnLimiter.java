package dev.limiter.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/**
 * Unless {@code limiter.enabled} is false. A value that is neither true nor false stops the start when the properties
 * are read; a condition on a boolean would take it for false, and the application would start without limits.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ConditionalOnProperty(prefix = "limiter", name = "enabled", matchIfMissing = true)
@interface ConditionalOnLimiter {}
