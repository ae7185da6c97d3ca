package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Counts every decision without creating an event. Internal: applications use {@link RateLimitListener}. Thread-safe.
 */
public interface DecisionMeter {

    /**
     * Counts a decision.
     *
     * @param rule the rule at the time of the decision; a later one with its name may have other limits
     * @param charge its charge; null if its limits were not checked
     * @param decision the decision on the rule; null if there is none
     * @param waited how long the request waited for the rule
     */
    void count(
            RateLimitRule rule,
            String resource,
            Outcome outcome,
            @Nullable Charge charge,
            @Nullable Decision decision,
            Duration waited);

    /** Counts the start of a ban. Does nothing by default. */
    default void countBan(RateLimitRule rule) {}
}
