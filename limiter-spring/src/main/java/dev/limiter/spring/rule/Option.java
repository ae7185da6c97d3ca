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
 * An option of a rule or of a limit, as data: binding, merging, checking, the metadata for IDEs, the manual and the
 * endpoint are made of what it says of itself. Compared by identity, and unchanged once it has a name. All are in {@link
 * RuleOptions}, {@link LimitOptions} and {@link BanOptions}.
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

    /** A value that is offered where one is written. */
    public record Suggestion(Object value, @Nullable String meaning) {}

    private Option(Class<?> type, String meaning) {
        this.type = type;
        this.meaning = meaning;
    }

    /** An option with this name in properties, such as {@code max-wait}, for all algorithms and with any value. */
    public static <T> Option<T> of(String name) {
        return new Option<T>(Object.class, "").named(name);
    }

    /** {@code meaning}: a phrase that {@link #description()} begins with and goes on with the range. */
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

    /** Numbers from {@code min} to {@code max} alone. */
    Option<T> range(long min, long max) {
        this.min = min;
        this.max = max;
        return this;
    }

    /** Durations that are longer than zero, up to this one. */
    Option<T> upTo(Duration longest) {
        this.longest = longest;
        return this;
    }

    /** Durations from zero to this one. */
    Option<T> zeroTo(Duration longest) {
        this.mayBeZero = true;
        return upTo(longest);
    }

    /** These algorithms alone: others would ignore it. */
    Option<T> onlyFor(Algorithm... takers) {
        this.algorithms = Collections.unmodifiableSet(new LinkedHashSet<>(Arrays.asList(takers)));
        return this;
    }

    /** A condition of these algorithms, such as {@code " with align: calendar"}. */
    Option<T> where(String condition) {
        this.condition = condition;
        return this;
    }

    /** The value that counts if nothing is set. */
    Option<T> otherwise(T value) {
        this.defaultValue = value;
        return otherwiseCounts(value instanceof Enum<?> constant ? EnumText.of(constant) : value.toString());
    }

    /** The words for the effect of a missing setting, where it equals no value of the option. */
    Option<T> otherwiseCounts(String what) {
        this.defaultText = what;
        return this;
    }

    /** An exception from what counts if nothing is set, such as {@code "but none with status: 503"}. */
    Option<T> except(String exception) {
        this.exception = ", " + exception;
        return this;
    }

    /** A name of a bean of this type, or the text of a value of it. */
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

    /** A sentence at the end of the description. */
    Option<T> remark(String sentence) {
        this.remark = " " + sentence;
        return this;
    }

    /** The reader of the value that a limit holds. */
    Option<T> in(Function<Limit, @Nullable Object> limit) {
        this.inLimit = limit;
        return this;
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
        return type;
    }

    /** Whether its value is a list of texts, of which an annotation writes one. */
    public boolean isList() {
        return type == List.class;
    }

    /** The type that its text stands for, such as a duration or a bean; null if it stands for none. */
    public @Nullable Class<?> standsFor() {
        return standsFor;
    }

    /** The algorithms that do not ignore it. */
    public Set<Algorithm> algorithms() {
        return algorithms;
    }

    /** Whether no algorithm ignores it. */
    public boolean isForAll() {
        return algorithms.size() == Algorithm.values().length;
    }

    /** The smallest number that it may be. */
    public long min() {
        return min;
    }

    /** The largest number that it may be. */
    public long max() {
        return max;
    }

    /** The longest duration that it may be; null if it is none, or not bounded by itself. */
    public @Nullable Duration longest() {
        return longest;
    }

    /** Whether a duration of zero says something. */
    public boolean mayBeZero() {
        return mayBeZero;
    }

    /** The value that counts if nothing is set; null if there is none. */
    public @Nullable T defaultValue() {
        return defaultValue;
    }

    /** The {@link #defaultValue()} of an option that has one. */
    public T usual() {
        return Objects.requireNonNull(defaultValue, name);
    }

    /** Values to offer where one is written. */
    public List<Suggestion> suggestions() {
        return List.copyOf(suggestions);
    }

    /** The value of it that a limit holds; null if it holds none. */
    public @Nullable Object in(Limit limit) {
        return inLimit.apply(limit);
    }

    /**
     * The text for the manual and for IDEs: its purpose, its range, a default that is no plain value, and the algorithms
     * that take it.
     */
    public String description() {
        return description(defaultValue != null && exception.isEmpty() ? null : defaultText);
    }

    /** {@link #description()} where something else counts if nothing is set, such as {@code the value of the rule}. */
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
