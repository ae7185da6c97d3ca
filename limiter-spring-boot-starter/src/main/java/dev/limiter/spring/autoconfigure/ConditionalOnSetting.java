package dev.limiter.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if a setting has a value. Converts it as binding does: {@code off} and {@code "false "} are false. An
 * unreadable value also matches, so that binding it fails at startup; otherwise the application would run without
 * limits.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Conditional(SettingCondition.class)
@interface ConditionalOnSetting {

    /** The full name of the property. */
    String value();

    /** The type of the bound value. */
    Class<?> type() default Boolean.class;

    /** The expected value as a string. */
    String is() default "true";

    boolean matchIfMissing() default false;
}
