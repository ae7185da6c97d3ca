package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.failure.EnumText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An option of a rule or limit. Binding, merging, validation, metadata for IDEs, the manual and the endpoint are
 * derived from it. Compared by identity, and not modified once it has a name. All options are in {@link RuleOptions},
 * {@link LimitOptions} and {@link BanOptions}.
 *
 * @param <T> the type of its values
 */
public final class Option<T> {

    private static final Pattern DASH = Pattern.compile("-(.)");

    private final Class<?> type;
    private final String meaning;
    private final List<Suggestion> suggestions = new ArrayList<>();
    private String name = "";
    private String attribute = "";
    private Set<Algorithm> algorithms = Set.of(Algorithm.values());
    private long min = Long.MIN_VALUE;
    private long max = Long.MAX_VALUE;
    private @Nullable Class<?> standsFor;
    private @Nullable Duration longest;
    private boolean mayBeZero;
    private @Nullable T defaultValue;
    private @Nullable String defaultText;
    private String exception = "";
    private String condition = "";
    private String remark = "";
    private Function<Limit, @Nullable Object> inLimit = limit -> null;

    /** A value that IDEs offer. */
    public record Suggestion(Object value, @Nullable String meaning) {}

    private Option(Class<?> type, String meaning) {
        this.type = type;
        this.meaning = meaning;
    }

    /**
     * Returns an option with this name in properties, such as {@code max-wait}, for all algorithms and with any value.
     */
    public static <T> Option<T> of(String name) {
        return new Option<T>(Object.class, "").named(name);
    }

    /** Returns an option for numbers; {@code meaning}: the start of {@link #description()}, which the range follows. */
    static Option<Long> number(String meaning) {
        return new Option<>(Long.class, meaning);
    }

    static Option<Integer> count(String meaning) {
        return new Option<>(Integer.class, meaning);
    }

    static Option<String> text(String meaning) {
        return new Option<>(String.class, meaning);
    }

    static Option<String> duration(String meaning) {
        return text(meaning).standingFor(Duration.class);
    }

    static <E extends Enum<E>> Option<E> oneOf(Class<E> type, String meaning) {
        return new Option<>(type, meaning);
    }

    static Option<List<String>> list(String meaning) {
        return new Option<>(List.class, meaning);
    }

    Option<T> named(String name) {
        this.name = name;
        this.attribute = DASH.matcher(name).replaceAll(next -> next.group(1).toUpperCase(Locale.ROOT));
        return this;
    }

    /** Restricts numbers to this range. */
    Option<T> range(long min, long max) {
        this.min = min;
        this.max = max;
        return this;
    }

    /** Restricts durations to longer than zero, up to this one. */
    Option<T> upTo(Duration longest) {
        this.longest = longest;
        return this;
    }

    /** Restricts durations to zero up to this one. */
    Option<T> zeroTo(Duration longest) {
        this.mayBeZero = true;
        return upTo(longest);
    }

    /** Restricts the option to algorithms that do not ignore it. */
    Option<T> onlyFor(Algorithm... takers) {
        this.algorithms = Collections.unmodifiableSet(new LinkedHashSet<>(Arrays.asList(takers)));
        return this;
    }

    /** Sets a condition for these algorithms, such as {@code " with align: calendar"}. */
    Option<T> where(String condition) {
        this.condition = condition;
        return this;
    }

    /** Sets the default value. */
    Option<T> otherwise(T value) {
        this.defaultValue = value;
        return otherwiseCounts(value instanceof Enum<?> constant ? EnumText.of(constant) : value.toString());
    }

    /** Sets the description of the default, if it is not a value of the option. */
    Option<T> otherwiseCounts(String what) {
        this.defaultText = what;
        return this;
    }

    /** Sets an exception from the default, such as {@code "but none with status: 503"}. */
    Option<T> except(String exception) {
        this.exception = ", " + exception;
        return this;
    }

    /** Sets the type that the text stands for: the name of a bean, or the text of a value. */
    Option<T> standingFor(Class<?> type) {
        this.standsFor = type;
        return this;
    }

    Option<T> suggest(Object value, String meaning) {
        suggestions.add(new Suggestion(value, meaning));
        return this;
    }

    Option<T> suggestions(Object... values) {
        for (Object value : values) {
            suggestions.add(new Suggestion(value, null));
        }
        return this;
    }

    /** Sets the last sentence of the description. */
    Option<T> remark(String sentence) {
        this.remark = " " + sentence;
        return this;
    }

    /** Sets the function that reads the value from a core limit. */
    Option<T> in(Function<Limit, @Nullable Object> limit) {
        this.inLimit = limit;
        return this;
    }

    /** Returns the name in properties, such as {@code max-wait}. */
    public String name() {
        return name;
    }

    /** Returns the name in Java, such as {@code maxWait}. */
    public String attribute() {
        return attribute;
    }

    /** Returns the type of its values; {@code List} for lists. */
    public Class<?> type() {
        return type;
    }

    /** Returns whether its value is a list of texts; an annotation sets a single one. */
    public boolean isList() {
        return type == List.class;
    }

    /** Returns the type that its text stands for, such as a duration or a bean; null for plain text. */
    public @Nullable Class<?> standsFor() {
        return standsFor;
    }

    /** Returns the algorithms that do not ignore it. */
    public Set<Algorithm> algorithms() {
        return algorithms;
    }

    /** Returns whether no algorithm ignores it. */
    public boolean isForAll() {
        return algorithms.size() == Algorithm.values().length;
    }

    /** Returns the smallest allowed number. */
    public long min() {
        return min;
    }

    /** Returns the largest allowed number. */
    public long max() {
        return max;
    }

    /** Returns the longest allowed duration; null if the option is not a bounded duration. */
    public @Nullable Duration longest() {
        return longest;
    }

    /** Returns whether a duration of zero is allowed. */
    public boolean mayBeZero() {
        return mayBeZero;
    }

    /** Returns the default value; null if there is none. */
    public @Nullable T defaultValue() {
        return defaultValue;
    }

    /** Returns the {@link #defaultValue()}, which must exist. */
    public T usual() {
        return Objects.requireNonNull(defaultValue, name);
    }

    /** Returns the values that IDEs offer. */
    public List<Suggestion> suggestions() {
        return List.copyOf(suggestions);
    }

    /** Returns the value of this option in a core limit; null if it has none. */
    public @Nullable Object in(Limit limit) {
        return inLimit.apply(limit);
    }

    /**
     * Returns the text for the manual and for IDEs: purpose, range, a default that is not a plain value, and the
     * algorithms that have the option.
     */
    public String description() {
        return description(defaultValue != null && exception.isEmpty() ? null : defaultText);
    }

    /** Returns the {@link #description()} with another default, such as {@code the value of the rule}. */
    public String description(@Nullable String otherwise) {
        return meaning
                + range()
                + "."
                + (otherwise == null ? "" : " Defaults to " + otherwise + exception + ".")
                + takenBy()
                + remark;
    }

    private String range() {
        if (longest != null) {
            return ", up to " + longest.toDays() + "d";
        }
        boolean bounded = max != Long.MAX_VALUE;
        return bounded ? ", " + min + " to " + max : min > 0 ? ", at least " + min : "";
    }

    private String takenBy() {
        Set<Algorithm> others = EnumSet.complementOf(EnumSet.copyOf(algorithms));
        if (others.isEmpty()) {
            return "";
        }
        boolean one = others.size() == 1;
        return (one ? " Not for " : " For ")
                + (one ? others : algorithms)
                        .stream()
                                .map(EnumText::of)
                                .collect(Collectors.joining(condition.isEmpty() ? " and " : ", and "))
                + condition + ".";
    }

    @Override
    public String toString() {
        return name;
    }
}
