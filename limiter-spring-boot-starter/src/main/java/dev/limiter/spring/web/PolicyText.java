package dev.limiter.spring.web;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import java.util.List;

/** What the {@code RateLimit} fields say of a rule whatever is left of its limits. Immutable. */
final class PolicyText {

    private final String policies;
    private final String[] names;

    private PolicyText(String policies, String[] names) {
        this.policies = policies;
        this.names = names;
    }

    static PolicyText of(Rule rule) {
        String[] members = new String[rule.limits().size()];
        String[] names = new String[members.length];
        for (int i = 0; i < members.length; i++) {
            names[i] = RateLimitFields.name(rule.policies().get(i));
            members[i] = RateLimitFields.policy(names[i], rule.limits().get(i));
        }
        return new PolicyText(String.join(", ", members), names);
    }

    /** The members of {@code RateLimit-Policy}. */
    String policies() {
        return policies;
    }

    /** The members of {@code RateLimit}; {@code statuses}: one for each limit of the rule. */
    String remaining(List<LimitStatus> statuses) {
        String members = RateLimitFields.remaining(names[0], statuses.get(0));
        for (int i = 1; i < names.length; i++) {
            members += ", " + RateLimitFields.remaining(names[i], statuses.get(i));
        }
        return members;
    }

    /** The same of a decision on the only limit of the rule. */
    String remaining(Decision decision) {
        return RateLimitFields.remaining(names[0], decision);
    }
}
