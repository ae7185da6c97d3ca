package dev.limiter;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A name and the limits that count under it, for each key apart. Immutable, thread-safe. A request that a rule permits
 * is counted by all its limits, one that it rejects by none.
 *
 * <p>The use of a key belongs to the rule's name. A rule of the same name with other limits goes on from there: limits
 * of the same name take over the permits used, so 100 of 100 becomes 100 of 1,000. Limits are changed while running in
 * this way, and different callers get different limits under one rule.
 */
public final class Rule {

    private final String name;
    private final List<Limit> limits;
    private final List<String> policies;
    private final int hash;

    private Rule(String name, List<Limit> limits) {
        this.name = name;
        this.limits = limits;
        this.policies = limits.stream()
                .map(limit -> limit.name().isEmpty() ? name : name + "-" + limit.name())
                .toList();
        this.hash = 31 * name.hashCode() + limits.hashCode();
    }

    /**
     * A rule with at least one limit; the names of its limits differ, and at most one of them is unnamed.
     *
     * @param name letters, digits, {@code -} and {@code _} in the configuration; any text but a blank one in code, such
     *     as the name of a resource
     * @throws IllegalArgumentException if the name is blank, or there is no limit, or two limits have the same name
     */
    public static Rule of(String name, Limit... limits) {
        return of(name, List.of(limits));
    }

    /** The same as {@link #of(String, Limit...)}. */
    public static Rule of(String name, List<Limit> limits) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("The name of a rule must not be empty");
        }
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("Rule \"" + name + "\" has no limit");
        }
        Set<String> names = new HashSet<>();
        for (Limit limit : limits) {
            if (!names.add(limit.name())) {
                throw new IllegalArgumentException("Rule \"" + name + "\" has two limits named \"" + limit.name()
                        + "\"; give each its own name with named(...)");
            }
        }
        return new Rule(name, List.copyOf(limits));
    }

    public String name() {
        return name;
    }

    public List<Limit> limits() {
        return limits;
    }

    /** The policy names that clients see, in the order of {@link #limits()}: the rule's name, or {@code rule-limit}. */
    public List<String> policies() {
        return policies;
    }

    /** Where the limit of that name stands in {@link #limits()}. */
    int position(String limit) {
        for (int i = 0; i < limits.size(); i++) {
            if (limits.get(i).name().equals(limit)) {
                return i;
            }
        }
        throw new IllegalArgumentException("Rule \"" + name + "\" has no limit named \"" + limit + "\", but "
                + limits.stream().map(known -> '"' + known.name() + '"').collect(Collectors.joining(", ")));
    }

    /** One permit of the bucket that all callers share. */
    public Charge charge() {
        return new Charge(this, Charge.SHARED, 1);
    }

    /** One permit of {@code key}. */
    public Charge charge(String key) {
        return new Charge(this, key, 1);
    }

    /** {@code permits} of {@code key}, 0 or more. */
    public Charge charge(String key, long permits) {
        return new Charge(this, key, permits);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Rule that
                        && hash == that.hash
                        && name.equals(that.name)
                        && limits.equals(that.limits);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "Rule[" + name + ": " + new ArrayList<>(limits) + "]";
    }
}
