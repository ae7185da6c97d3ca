package dev.limiter.spring.rule;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of some options, each with the place where it was written. Immutable.
 *
 * @param all by their options
 */
public record Settings(Map<Option<?>, Setting<?>> all) {

    /** No settings. */
    public static final Settings NONE = new Settings(Map.of());

    public Settings {
        all = Collections.unmodifiableMap(new LinkedHashMap<>(all));
    }

    /** The setting of an option; null if there is none. */
    @SuppressWarnings("unchecked") // with() has put it there
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return (Setting<T>) all.get(option);
    }

    /** The value of the setting of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        Setting<T> setting = get(option);
        return setting == null ? null : setting.value();
    }

    /** These and one more, in place of the option's earlier setting; null adds none. */
    public <T> Settings with(Option<T> option, @Nullable T value, RuleOrigin origin) {
        return value == null
                ? this
                : new Settings(Map.of(option, new Setting<>(value, origin.of(option.name())))).over(this);
    }

    /** These as if all had been written at {@code origin}. */
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

    /** These, completed option by option by weaker ones. */
    public Settings over(Settings weaker) {
        Map<Option<?>, Setting<?>> merged = new LinkedHashMap<>(weaker.all);
        merged.putAll(all);
        return new Settings(merged);
    }

    /** These, as if nothing had been set for some options. */
    public Settings without(Option<?>... options) {
        List<Option<?>> others = List.of(options);
        return only(option -> !others.contains(option));
    }

    /** The settings of some options. */
    Settings only(Predicate<Option<?>> wanted) {
        Map<Option<?>, Setting<?>> some = new LinkedHashMap<>(all);
        some.keySet().removeIf(wanted.negate());
        return new Settings(some);
    }

    /** Whether nothing was set. */
    public boolean isEmpty() {
        return all.isEmpty();
    }
}
