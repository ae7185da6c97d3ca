package dev.limiter.spring.rule;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The settings of some options, each with the place where it was written. Immutable. */
public final class Settings {

    /** No settings. */
    public static final Settings NONE = new Settings(Map.of());

    private final Map<Option<?>, Setting<?>> said;

    private Settings(Map<Option<?>, Setting<?>> said) {
        this.said = Collections.unmodifiableMap(said);
    }

    /** The setting of an option; null if there is none. */
    @SuppressWarnings("unchecked") // with() has put it there
    public <T> @Nullable Setting<T> get(Option<T> option) {
        return (Setting<T>) said.get(option);
    }

    /** The value of the setting of an option; null if there is none. */
    public <T> @Nullable T value(Option<T> option) {
        Setting<T> setting = get(option);
        return setting == null ? null : setting.value();
    }

    /** Whether the setting of a duration is zero, in whatever unit; false without one. */
    boolean isZero(Option<String> duration) {
        String text = value(duration);
        return text != null && text.chars().noneMatch(c -> c >= '1' && c <= '9');
    }

    /** These and one more, in place of the option's earlier setting; null adds none. */
    public <T> Settings with(Option<T> option, @Nullable T value, RuleOrigin origin) {
        return with(option, value == null ? null : new Setting<>(value, origin.of(option.name())));
    }

    /** {@link #with(Option, Object, RuleOrigin)} with a setting of another place. */
    public <T> Settings with(Option<T> option, @Nullable Setting<T> setting) {
        if (setting == null) {
            return this;
        }
        Map<Option<?>, Setting<?>> more = new LinkedHashMap<>(said);
        more.merge(option, setting, (weaker, stronger) -> stronger.over(weaker));
        return new Settings(more);
    }

    /** These, completed option by option by weaker ones. */
    public Settings over(Settings weaker) {
        Map<Option<?>, Setting<?>> all = new LinkedHashMap<>(weaker.said);
        said.forEach((option, setting) -> all.merge(option, setting, (hidden, stronger) -> stronger.over(hidden)));
        return new Settings(all);
    }

    /** All of them, by their options. */
    public Map<Option<?>, Setting<?>> all() {
        return said;
    }

    /** These, as if nothing had been set for some options. */
    public Settings without(Option<?>... options) {
        List<Option<?>> others = List.of(options);
        return only(option -> !others.contains(option));
    }

    /** The settings of some options. */
    Settings only(Predicate<Option<?>> wanted) {
        Map<Option<?>, Setting<?>> some = new LinkedHashMap<>(said);
        some.keySet().removeIf(wanted.negate());
        return new Settings(some);
    }

    /** Whether nothing was said. */
    public boolean isEmpty() {
        return said.isEmpty();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Settings settings && settings.said.equals(said);
    }

    @Override
    public int hashCode() {
        return said.hashCode();
    }

    @Override
    public String toString() {
        return said.toString();
    }
}
