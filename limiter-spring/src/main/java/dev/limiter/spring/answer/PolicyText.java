package dev.limiter.spring.answer;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of the {@code RateLimit} fields of a rule that does not depend on what is left of its limits. Immutable. */
public final class PolicyText {

    private static final String SEPARATOR = ", ";

    private final String policies;
    private final String[] names;
    private final List<Limit> limits;

    private PolicyText(String policies, String[] names, List<Limit> limits) {
        this.policies = policies;
        this.names = names;
        this.limits = limits;
    }

    static PolicyText of(Rule rule) {
        return of(rule.policies(), rule.limits());
    }

    static PolicyText of(List<String> policies, List<Limit> limits) {
        String[] members = new String[limits.size()];
        String[] names = new String[members.length];
        for (int i = 0; i < members.length; i++) {
            names[i] = FieldMembers.name(policies.get(i));
            members[i] = FieldMembers.policy(names[i], limits.get(i));
        }
        return new PolicyText(String.join(SEPARATOR, members), names, limits);
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
