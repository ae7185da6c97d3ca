package dev.limiter.spring.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A value of a rule that was said somewhere. Settings with the same value and place are equal, with any hidden ones.
 *
 * @param where the property, or the attribute and the annotated method; stays with the value when rules are merged
 * @param hidden settings of weaker places that this one replaced, the strongest first; they hide nothing themselves
 */
public record Setting<T>(T value, String where, List<Setting<?>> hidden) {

    /** A setting that hides nothing. */
    public Setting(T value, String where) {
        this(value, where, List.of());
    }

    /** This setting in the place of a weaker one: hides it from now on, with the settings it hid. */
    Setting<T> over(Setting<?> weaker) {
        List<Setting<?>> all = new ArrayList<>(hidden);
        all.add(new Setting<>(weaker.value(), weaker.where()));
        all.addAll(weaker.hidden());
        all.removeIf(other -> other.where().equals(where));
        return new Setting<>(value, where, List.copyOf(all));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Setting<?> setting && setting.value.equals(value) && setting.where.equals(where);
    }

    @Override
    public int hashCode() {
        return Objects.hash(value, where);
    }
}
