package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.failure.EnumText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an {@link Option} but its name. Changed only until the option has a name; not thread-safe before.
 *
 * @param <T> the type of its values
 */
final class OptionTraits<T> {

    /** The reader of an option that limits hold no values of. */
    static final Function<Limit, @Nullable Object> NOTHING = limit -> null;

    final Class<?> type;
    final String meaning;
    final List<Option.Suggestion> suggestions = new ArrayList<>();
    Set<Algorithm> algorithms = Set.of(Algorithm.values());
    long min = Long.MIN_VALUE;
    long max = Long.MAX_VALUE;

    @Nullable
    Class<?> standsFor;

    @Nullable
    Duration longest;

    boolean mayBeZero;

    @Nullable
    T defaultValue;

    @Nullable
    String defaultText;

    String exception = "";
    String condition = "";
    String remark = "";
    Function<Limit, @Nullable Object> inLimit = NOTHING;

    /** {@code meaning}: a phrase that {@link Option#description()} begins with and goes on with the range. */
    OptionTraits(Class<?> type, String meaning) {
        this.type = type;
        this.meaning = meaning;
    }

    static OptionTraits<Long> number(String meaning) {
        return new OptionTraits<>(Long.class, meaning);
    }

    static OptionTraits<Integer> count(String meaning) {
        return new OptionTraits<>(Integer.class, meaning);
    }

    static OptionTraits<String> text(String meaning) {
        return new OptionTraits<>(String.class, meaning);
    }

    static OptionTraits<String> duration(String meaning) {
        OptionTraits<String> traits = text(meaning);
        traits.standsFor = Duration.class;
        return traits;
    }

    static <E extends Enum<E>> OptionTraits<E> oneOf(Class<E> type, String meaning) {
        return new OptionTraits<>(type, meaning);
    }

    static OptionTraits<List<String>> list(String meaning) {
        return new OptionTraits<>(List.class, meaning);
    }

    /** The option of these traits. */
    Option<T> named(String name) {
        return new Option<>(name, this);
    }

    /** Numbers from {@code min} to {@code max} alone. */
    OptionTraits<T> range(long min, long max) {
        this.min = min;
        this.max = max;
        return this;
    }

    /** Durations that are longer than zero, up to this one. */
    OptionTraits<T> upTo(Duration longest) {
        this.longest = longest;
        return this;
    }

    /** Durations from zero to this one. */
    OptionTraits<T> zeroTo(Duration longest) {
        this.longest = longest;
        this.mayBeZero = true;
        return this;
    }

    /** These algorithms alone: others would ignore it. */
    OptionTraits<T> onlyFor(Algorithm... takers) {
        this.algorithms = Collections.unmodifiableSet(new LinkedHashSet<>(Arrays.asList(takers)));
        return this;
    }

    /** A condition of these algorithms, such as {@code " with align: calendar"}. */
    OptionTraits<T> where(String condition) {
        this.condition = condition;
        return this;
    }

    /** The value that counts if nothing is said. */
    OptionTraits<T> otherwise(T value) {
        this.defaultValue = value;
        this.defaultText = value instanceof Enum<?> constant ? EnumText.of(constant) : value.toString();
        return this;
    }

    /** {@link #otherwise(Object)}, with an exception such as {@code ", but none for key: global"}. */
    OptionTraits<T> otherwise(T value, String exception) {
        this.exception = exception;
        return otherwise(value);
    }

    /** The words for the effect of a missing setting, where it equals no value of the option. */
    OptionTraits<T> otherwiseCounts(String what) {
        this.defaultText = what;
        return this;
    }

    /** {@link #otherwiseCounts(String)}, with an exception such as {@code ", but none for key: global"}. */
    OptionTraits<T> otherwiseCounts(String what, String exception) {
        this.exception = exception;
        return otherwiseCounts(what);
    }

    /** A name of a bean of this type, or something else. */
    OptionTraits<T> bean(Class<?> type) {
        this.standsFor = type;
        return this;
    }

    OptionTraits<T> suggest(Object value) {
        suggestions.add(new Option.Suggestion(value, null));
        return this;
    }

    OptionTraits<T> suggest(Object value, String meaning) {
        suggestions.add(new Option.Suggestion(value, meaning));
        return this;
    }

    /** A sentence at the end. */
    OptionTraits<T> remark(String sentence) {
        this.remark = sentence;
        return this;
    }

    /** The reader of the value that a limit holds. */
    OptionTraits<T> in(Function<Limit, @Nullable Object> limit) {
        this.inLimit = limit;
        return this;
    }
}
