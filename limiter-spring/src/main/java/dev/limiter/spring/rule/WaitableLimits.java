package dev.limiter.spring.rule;

import dev.limiter.Algorithm;

/** The limits that requests can wait for. */
public final class WaitableLimits {

    private WaitableLimits() {}

    /**
     * Whether requests can wait for a limit.
     *
     * @param fromFirst whether its windows start with the first request
     * @param rule that it belongs to
     */
    public static boolean include(Algorithm algorithm, boolean fromFirst, RuleDefinition rule) {
        return switch (algorithm) {
            case TOKEN_BUCKET, LEAKY_BUCKET, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG, CONCURRENCY -> true;
            case FIXED_WINDOW ->
                rule.get(RuleOptions.CHARGE_IF) != null || rule.get(RuleOptions.PRIORITY) != null && !fromFirst;
        };
    }
}
