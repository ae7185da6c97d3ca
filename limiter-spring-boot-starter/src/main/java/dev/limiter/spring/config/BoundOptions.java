package dev.limiter.spring.config;

import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Options as Spring Boot has bound them: the component of a record that is called like an option holds its value. */
final class BoundOptions {

    private BoundOptions() {}

    /** The settings of these options that a record holds; an option without a component of its name has none. */
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
            throw new IllegalStateException("A record does not tell its " + component.getName(), failure);
        }
    }
}
