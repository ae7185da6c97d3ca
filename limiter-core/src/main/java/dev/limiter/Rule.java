package dev.limiter;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A name with one or more limits, each counted per key. A permitted request counts against all limits of the rule, a
 * rejected one against none. Immutable and thread-safe.
 *
 * <p>Usage belongs to the name of the rule. Under another rule of the same name, limits of the same name keep the
 * permits used: 100 of 100 becomes 100 of 1,000. This allows changing limits at runtime, and giving callers different
 * limits under one rule.
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
     * Creates a rule with at least one limit. Limits must have distinct names; one may be unnamed.
     *
     * @param name any text that is not blank, such as the name of a resource; rules in the configuration are restricted
     *     to letters, digits, {@code -} and {@code _}
     * @throws IllegalArgumentException if the name is blank, there is no limit, or two limits have the same name
     */
    public static Rule of(String name, Limit... limits) {
        return of(name, List.of(limits));
    }

    /** Creates a rule; see {@link #of(String, Limit...)}. */
    public static Rule of(String name, List<Limit> limits) {
        Objects.requireNonNull(name, "name must not be null");
        if (name.isBlank()) {
            throw new IllegalArgumentException("The name of a rule is \"" + name + "\", but must not be blank");
        }
        if (limits.isEmpty()) {
            throw new IllegalArgumentException("Rule \"" + name + "\" has no limit, but must have at least one");
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

    /**
     * Returns the policy names that clients see, in the order of {@link #limits()}: the rule's name, or {@code
     * rule-limit} for a named limit.
     */
    public List<String> policies() {
        return policies;
    }

    /** Returns the position of a limit in {@link #limits()}. */
    int position(String limit) {
        for (int i = 0; i < limits.size(); i++) {
            if (limits.get(i).name().equals(limit)) {
                return i;
            }
        }
        throw new IllegalArgumentException("Rule \"" + name + "\" has no limit named \"" + limit + "\"; its limits are "
                + limits.stream().map(known -> '"' + known.name() + '"').collect(Collectors.joining(", ")));
    }

    /** Returns a charge of one permit of the bucket that all callers share. */
    public Charge charge() {
        return new Charge(this, Charge.SHARED, 1);
    }

    /** Returns a charge of one permit of {@code key}. */
    public Charge charge(String key) {
        return new Charge(this, key, 1);
    }

    /** Returns a charge of {@code permits} of {@code key}, 0 or more. */
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
