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

/** The part of the {@code RateLimit} fields of a rule that does not depend on what is left of its limits. Immutable. */
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
     * The name of a policy in responses. The name of an unnamed annotation is {@code Class.method}: clients see the
     * method only.
     */
    public static String nameOf(String policy) {
        return policy.substring(policy.lastIndexOf('.') + 1);
    }

    private String name(int position) {
        return nameOf(rulePolicies.get(position)) + suffix;
    }

    /** The same limits with a suffix on each name. */
    PolicyText with(String suffix) {
        return new PolicyText(rulePolicies, limits, suffix);
    }

    /** Whether a name of this is one of the other. */
    boolean sharesNameWith(PolicyText other) {
        return !Collections.disjoint(Arrays.asList(names), Arrays.asList(other.names));
    }

    /** The name of one of these policies; null if it is none of them. */
    @Nullable
    String nameIfHere(String policy) {
        int position = rulePolicies.indexOf(policy);
        return position < 0 ? null : name(position);
    }

    /** The members of {@code RateLimit-Policy}. */
    String policies() {
        return policies;
    }

    /** The limit at a position, as it was asked for: that of a status may be a share of it. */
    Limit limit(int position) {
        return limits.get(position);
    }

    /** Whether it is about one limit. */
    boolean hasOneLimit() {
        return names.length == 1;
    }

    /**
     * Appends the members of {@code RateLimit}.
     *
     * @param statuses one for each limit of the rule
     * @param asked what was asked of each; null if that is not known
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

    /** Appends what is available, for a decision on the only limit of the rule. */
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

    /** Appends the members of {@code RateLimit-Partition}; {@code kinds}: of the parts of the key. */
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
