package dev.limiter.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * If a setting has a value, read as when all settings are bound: {@code off} and {@code "false "} are false. A value that
 * cannot be read matches, and stops the start when it is bound: otherwise the application would start without limits.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Conditional(SettingCondition.class)
@interface ConditionalOnSetting {

    /** The whole name of the property. */
    String value();

    /** The type of the bound value. */
    Class<?> type() default Boolean.class;

    /** The text of the bound value. */
    String is() default "true";

    boolean matchIfMissing() default false;
}
