package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Counts every decision, without an event. Internal: applications have {@link RateLimitListener}. Thread-safe. */
public interface DecisionMeter {

    /**
     * Counts a decision.
     *
     * @param rule as it was at the decision; a later one of its name may have other limits
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

    /** Counts a ban that begins. Does nothing by default. */
    default void countBan(RateLimitRule rule) {}
}
