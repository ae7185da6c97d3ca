package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.failure.EnumText;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An option of a rule or of a limit, as data: binding, merging, checking, the metadata for IDEs, the manual and the
 * endpoint go by what it says of itself. Immutable, and compared by identity. All are in {@link RuleOptions},
 * {@link LimitOptions} and {@link BanDefinition}.
 *
 * @param <T> the type of its values
 */
public final class Option<T> {

    private static final Pattern DASH = Pattern.compile("-(.)");

    private final String name;
    private final String attribute;
    private final OptionTraits<T> traits;

    Option(String name, OptionTraits<T> traits) {
        this.name = name;
        this.attribute = DASH.matcher(name).replaceAll(next -> next.group(1).toUpperCase(Locale.ROOT));
        this.traits = traits;
    }

    /** A value that is offered where one is written. */
    public record Suggestion(Object value, @Nullable String meaning) {}

    /** An option with this name in properties, such as {@code max-wait}, for all algorithms and with any value. */
    public static <T> Option<T> of(String name) {
        return new OptionTraits<T>(Object.class, "").named(name);
    }

    /** An option of {@link #of} whose value is a list of texts. */
    public static Option<List<String>> listOf(String name) {
        return OptionTraits.list("").named(name);
    }

    /** The name in properties, such as {@code max-wait}. */
    public String name() {
        return name;
    }

    /** The name in Java, such as {@code maxWait}. */
    public String attribute() {
        return attribute;
    }

    /** The type of its values; of lists the type of list. */
    public Class<?> type() {
        return traits.type;
    }

    /** Whether its value is a list of texts, of which an annotation writes one. */
    public boolean isList() {
        return traits.type == List.class;
    }

    /** The type that its text stands for, such as a duration or a bean; null if it stands for none. */
    public @Nullable Class<?> standsFor() {
        return traits.standsFor;
    }

    /** The algorithms that do not ignore it. */
    public Set<Algorithm> algorithms() {
        return traits.algorithms;
    }

    /** Whether no algorithm ignores it. */
    public boolean isForAll() {
        return traits.algorithms.size() == Algorithm.values().length;
    }

    /** The smallest number that it may be. */
    public long min() {
        return traits.min;
    }

    /** The largest number that it may be. */
    public long max() {
        return traits.max;
    }

    /** The longest duration that it may be; null if it is none, or not bounded by itself. */
    public @Nullable Duration longest() {
        return traits.longest;
    }

    /** Whether a duration of zero says something. */
    public boolean mayBeZero() {
        return traits.mayBeZero;
    }

    /** The value that counts if nothing is said; null if there is none. */
    public @Nullable T defaultValue() {
        return traits.defaultValue;
    }

    /** The {@link #defaultValue()} of an option that has one. */
    public T usual() {
        return Objects.requireNonNull(traits.defaultValue, name);
    }

    /** Values to offer where one is written. */
    public List<Suggestion> suggestions() {
        return List.copyOf(traits.suggestions);
    }

    /** The value of it that a limit holds; null if it holds none. */
    public @Nullable Object in(Limit limit) {
        return traits.inLimit.apply(limit);
    }

    /** Whether limits hold values of it. */
    public boolean isInLimits() {
        return traits.inLimit != OptionTraits.NOTHING;
    }

    /** The text for the manual and for IDEs: its purpose, its range, its default, and the algorithms that take it. */
    public String description() {
        return description(traits.defaultText);
    }

    /** {@link #description()} where something else counts if nothing is said, such as {@code as in the rule}. */
    public String description(@Nullable String otherwise) {
        return traits.meaning
                + range()
                + (otherwise == null ? "" : "; " + otherwise + " if not said" + traits.exception)
                + "."
                + takenBy()
                + (traits.remark.isEmpty() ? "" : " " + traits.remark);
    }

    private String range() {
        if (traits.longest != null) {
            return ", up to " + traits.longest.toDays() + "d";
        }
        boolean bounded = traits.max != Long.MAX_VALUE;
        return bounded ? ", " + traits.min + " to " + traits.max : traits.min > 0 ? ", at least " + traits.min : "";
    }

    private String takenBy() {
        Set<Algorithm> others = EnumSet.complementOf(EnumSet.copyOf(traits.algorithms));
        if (others.isEmpty()) {
            return "";
        }
        boolean one = others.size() == 1;
        return (one ? " Not for " : " For ")
                + (one ? others : traits.algorithms)
                        .stream()
                                .map(EnumText::of)
                                .collect(Collectors.joining(traits.condition.isEmpty() ? " and " : ", and "))
                + traits.condition + ".";
    }

    @Override
    public String toString() {
        return name;
    }
}
