package dev.limiter.spring.config;

import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts records that Spring Boot has bound to settings: a component holds the value of the option with its name. */
final class BoundOptions {

    private BoundOptions() {}

    /** Returns the settings of the given options that the record has components for. */
    static Settings of(Record bound, List<Option<?>> options, RuleOrigin origin) {
        Settings settings = Settings.NONE;
        for (RecordComponent component : bound.getClass().getRecordComponents()) {
            for (Option<?> option : options) {
                if (component.getName().equals(option.attribute())) {
                    settings = with(settings, option, value(bound, component), origin);
                }
            }
        }
        return settings;
    }

    @SuppressWarnings("unchecked") // BoundOptionsTests compares the types
    private static <T> Settings with(Settings settings, Option<T> option, @Nullable Object value, RuleOrigin origin) {
        return settings.with(option, (T) value, origin);
    }

    private static @Nullable Object value(Record bound, RecordComponent component) {
        try {
            return component.getAccessor().invoke(bound);
        } catch (IllegalAccessException | InvocationTargetException failure) {
            throw new IllegalStateException("Cannot read record component " + component.getName(), failure);
        }
    }
}
