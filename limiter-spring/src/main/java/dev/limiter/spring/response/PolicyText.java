package dev.limiter.spring.response;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The constant parts of the {@code RateLimit} fields of a rule. Immutable. */
public final class PolicyText {

    private static final String SEPARATOR = ", ";

    private final List<String> rulePolicies;
    private final List<Limit> limits;
    private final String suffix;
    private final String[] names;
    private final String policies;

    private PolicyText(List<String> rulePolicies, List<Limit> limits, String suffix) {
        this.rulePolicies = rulePolicies;
        this.limits = limits;
        this.suffix = suffix;
        this.names = new String[limits.size()];
        String[] members = new String[names.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = FieldMembers.name(name(i));
            members[i] = FieldMembers.policy(names[i], limits.get(i));
        }
        this.policies = String.join(SEPARATOR, members);
    }

    static PolicyText of(Rule rule) {
        return of(rule.policies(), rule.limits());
    }

    static PolicyText of(List<String> policies, List<Limit> limits) {
        return new PolicyText(policies, limits, "");
    }

    /**
     * Returns the name of a policy in responses. Of the name {@code Class.method} of an unnamed annotation, clients see
     * only the method.
     */
    public static String nameOf(String policy) {
        return policy.substring(policy.lastIndexOf('.') + 1);
    }

    private String name(int position) {
        return nameOf(rulePolicies.get(position)) + suffix;
    }

    /** Returns the same limits with a suffix for each name. */
    PolicyText with(String suffix) {
        return new PolicyText(rulePolicies, limits, suffix);
    }

    /** Returns whether both have a name in common. */
    boolean sharesNameWith(PolicyText other) {
        return !Collections.disjoint(Arrays.asList(names), Arrays.asList(other.names));
    }

    /** Returns the name of a policy; null if it is not one of these. */
    @Nullable
    String nameIfHere(String policy) {
        int position = rulePolicies.indexOf(policy);
        return position < 0 ? null : name(position);
    }

    /** Returns the members of {@code RateLimit-Policy}. */
    String policies() {
        return policies;
    }

    /** Returns the configured limit at a position; the limit of a status may be an instance's share of it. */
    Limit limit(int position) {
        return limits.get(position);
    }

    /** Returns whether there is exactly one limit. */
    boolean hasOneLimit() {
        return names.length == 1;
    }

    /**
     * Appends the members of {@code RateLimit}.
     *
     * @param statuses one for each limit of the rule
     * @param asked the charge of the request; null if it is unknown
     */
    void appendAvailable(
            StringBuilder field, FieldNames parameters, List<LimitStatus> statuses, @Nullable Charge asked) {
        for (int i = 0; i < names.length; i++) {
            separate(field);
            LimitStatus status = statuses.get(i);
            FieldMembers.appendAvailable(
                    field,
                    parameters,
                    names[i],
                    asked,
                    i,
                    status.limit(),
                    status.remaining(),
                    status.retryAfter(),
                    status.resetAfter());
        }
    }

    /** Appends the member of {@code RateLimit} for a decision on the only limit of the rule. */
    void appendAvailable(StringBuilder field, FieldNames parameters, Decision decision, Charge asked) {
        separate(field);
        FieldMembers.appendAvailable(
                field,
                parameters,
                names[0],
                asked,
                0,
                decision.limit(),
                decision.remaining(),
                decision.retryAfter(),
                decision.resetAfter());
    }

    /** Appends the members of {@code RateLimit-Partition}; {@code kinds}: the kinds of the key parts. */
    void appendPartition(StringBuilder field, List<String> kinds) {
        for (String name : names) {
            separate(field);
            FieldMembers.appendPartition(field, name, kinds);
        }
    }

    static void separate(StringBuilder field) {
        if (!field.isEmpty()) {
            field.append(SEPARATOR);
        }
    }
}
