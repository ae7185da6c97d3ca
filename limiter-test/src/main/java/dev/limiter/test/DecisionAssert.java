package dev.limiter.test;

import dev.limiter.Decision;
import dev.limiter.LimitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.AbstractAssert;

/** Assertions for a {@link Decision}. Created by {@link LimiterAssertions}; not thread-safe. */
public final class DecisionAssert extends AbstractAssert<DecisionAssert, Decision> {

    DecisionAssert(Decision actual) {
        super(actual, DecisionAssert.class);
    }

    public DecisionAssert isPermitted() {
        isNotNull();
        if (!actual.permitted()) {
            failWithMessage("Expected to be permitted, but was %s", actual);
        }
        return this;
    }

    /** Verifies that the decision is a rejection, temporary or permanent. */
    public DecisionAssert isRejected() {
        isNotNull();
        if (actual.permitted()) {
            failWithMessage("Expected to be rejected, but was %s", actual);
        }
        return this;
    }

    /** Verifies a permanent rejection: more permits than can ever be granted. */
    public DecisionAssert canNeverBePermitted() {
        isRejected();
        if (!actual.never()) {
            failWithMessage("Expected to be rejected permanently, but it can be permitted later: %s", actual);
        }
        return this;
    }

    /** Verifies the exact time after which the decision would be permitted. */
    public DecisionAssert hasRetryAfter(Duration expected) {
        isNotNull();
        return same("retryAfter", Optional.of(expected), actual.retryAfter());
    }

    /** Verifies that there is no retry time: permitted, or rejected for an unknown time. */
    public DecisionAssert hasNoRetryAfter() {
        isNotNull();
        return same("retryAfter", Optional.empty(), actual.retryAfter());
    }

    /** Verifies the remaining permits of the deciding limit. */
    public DecisionAssert hasRemaining(long expected) {
        isNotNull();
        return same("remaining", expected, actual.remaining());
    }

    /**
     * Verifies the remaining permits of one limit.
     *
     * @param policy the name of the rule, or {@code rule-limit} for a named limit
     */
    public DecisionAssert hasRemaining(String policy, long expected) {
        return same("remaining of " + policy, expected, status(policy).remaining());
    }

    /** Verifies the time until all permits are available again. */
    public DecisionAssert hasResetAfter(Duration expected) {
        isNotNull();
        return same("resetAfter", expected, actual.resetAfter());
    }

    /** Verifies which limits rejected, in order: names of rules, or {@code rule-limit} for named limits. */
    public DecisionAssert isRejectedBy(String... policies) {
        isRejected();
        return same("limits that rejected", List.of(policies), rejecting());
    }

    private List<String> rejecting() {
        return actual.limits().stream()
                .filter(limit -> !limit.permitted())
                .map(LimitStatus::policy)
                .toList();
    }

    private LimitStatus status(String policy) {
        isNotNull();
        return actual.limits().stream()
                .filter(limit -> limit.policy().equals(policy))
                .findFirst()
                .orElseThrow(() -> failure("Expected a limit %s, but was %s", policy, actual));
    }

    private DecisionAssert same(String what, Object expected, Object found) {
        if (!found.equals(expected)) {
            failWithActualExpectedAndMessage(
                    found, expected, "Expected %s to be %s, but was %s: %s", what, expected, found, actual);
        }
        return this;
    }
}
