package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An option of a rule or of a limit, as data: binding, merging and checking go by what it says of itself. Immutable,
 * and compared by identity. All are in {@link RuleOptions} and {@link LimitOptions}.
 *
 * @param <T> the type of its values
 */
public final class Option<T> {

    private static final Pattern DASH = Pattern.compile("-(.)");

    private final String name;
    private final String attribute;
    private final boolean list;
    private final Set<Algorithm> algorithms;
    private final long max;

    private Option(String name, boolean list, Set<Algorithm> algorithms, long max) {
        this.name = name;
        this.attribute = DASH.matcher(name).replaceAll(next -> next.group(1).toUpperCase(Locale.ROOT));
        this.list = list;
        this.algorithms = algorithms;
        this.max = max;
    }

    /** An option with this name in properties, such as {@code max-wait}, for all algorithms and with any value. */
    public static <T> Option<T> of(String name) {
        return new Option<>(name, false, EnumSet.allOf(Algorithm.class), Long.MAX_VALUE);
    }

    /** The same whose value is a list of texts. */
    public static Option<List<String>> listOf(String name) {
        return new Option<>(name, true, EnumSet.allOf(Algorithm.class), Long.MAX_VALUE);
    }

    /** The same for these algorithms alone: others would ignore it. */
    Option<T> onlyFor(Algorithm first, Algorithm... others) {
        return new Option<>(name, list, EnumSet.of(first, others), max);
    }

    /** The same with numbers from 1 to {@code max} alone. */
    Option<T> upTo(long max) {
        return new Option<>(name, list, algorithms, max);
    }

    /** As in properties, such as {@code max-wait}. */
    public String name() {
        return name;
    }

    /** As in Java, such as {@code maxWait}. */
    public String attribute() {
        return attribute;
    }

    /** Whether its value is a list of texts, of which an annotation writes one. */
    public boolean isList() {
        return list;
    }

    /** The algorithms that do not ignore it. */
    public Set<Algorithm> algorithms() {
        return algorithms;
    }

    /** Whether no algorithm ignores it. */
    public boolean isForAll() {
        return algorithms.size() == Algorithm.values().length;
    }

    /** The largest number that it may be. */
    public long max() {
        return max;
    }

    @Override
    public String toString() {
        return name;
    }
}
