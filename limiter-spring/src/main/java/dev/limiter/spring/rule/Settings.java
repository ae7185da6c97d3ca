package dev.limiter.spring.rule;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The values of options, with their origins. Immutable.
 *
 * @param all settings by option
 */
public record Settings(Map<Option<?>, Setting<?>> all) {

    public static final Settings NONE = new Settings(Map.of());

    public Settings {
        all = Collections.unmodifiableMap(new LinkedHashMap<>(all));
    }

    /** Returns the setting of an option; null if there is none. */
    @SuppressWarnings("unchecked") // with() has put it there
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return (Setting<T>) all.get(option);
    }

    /** Returns the value of the setting of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        Setting<T> setting = get(option);
        return setting == null ? null : setting.value();
    }

    /** Returns these settings and one more, which replaces an earlier one of the option; null adds none. */
    public <T> Settings with(Option<T> option, @Nullable T value, RuleOrigin origin) {
        return value == null
                ? this
                : new Settings(Map.of(option, new Setting<>(value, origin.of(option.name())))).over(this);
    }

    /** Returns these settings with another origin. */
    Settings writtenAt(RuleOrigin origin) {
        Map<Option<?>, Setting<?>> moved = new LinkedHashMap<>();
        all.forEach((option, setting) ->
                moved.put(option, new Setting<>(moved(setting.value(), option, origin), origin.of(option.name()))));
        return new Settings(moved);
    }

    private static Object moved(Object value, Option<?> option, RuleOrigin origin) {
        if (value instanceof LimitsDefinition limits) {
            return limits.writtenAt(RuleOrigin.source(option.name() + " of " + origin));
        }
        if (option == LimitsDefinition.TIERS && value instanceof Map<?, ?> tiers) {
            Map<Object, Object> moved = new LinkedHashMap<>();
            tiers.forEach((name, tier) -> moved.put(
                    name, ((LimitsDefinition) tier).writtenAt(RuleOrigin.source("tier " + name + " of " + origin))));
            return moved;
        }
        return value;
    }

    /** Returns these settings merged over weaker ones. */
    public Settings over(Settings weaker) {
        Map<Option<?>, Setting<?>> merged = new LinkedHashMap<>(weaker.all);
        merged.putAll(all);
        return new Settings(merged);
    }

    /** Returns these settings without some options. */
    public Settings without(Option<?>... options) {
        List<Option<?>> others = List.of(options);
        return only(option -> !others.contains(option));
    }

    /** Returns the settings of some options. */
    Settings only(Predicate<Option<?>> wanted) {
        Map<Option<?>, Setting<?>> some = new LinkedHashMap<>(all);
        some.keySet().removeIf(wanted.negate());
        return new Settings(some);
    }

    /** Returns whether no option is set. */
    public boolean isEmpty() {
        return all.isEmpty();
    }
}
