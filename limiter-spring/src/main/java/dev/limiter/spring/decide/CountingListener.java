package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compiled.RateLimitRule;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A listener that counts: it is told of a decision by a tally of its rule, resource and outcome instead of an event, so
 * that nothing is made or looked up for it.
 */
public interface CountingListener extends RateLimitListener {

    /** Where decisions of a rule on a resource with that outcome are counted. Called once for each. */
    Tally tally(String rule, String resource, Outcome outcome);

    /** Never called: tallies count. */
    @Override
    default void onDecision(RateLimitEvent event) {}

    /** Counts decisions. Thread-safe. */
    @FunctionalInterface
    interface Tally {

        /**
         * Counts a decision.
         *
         * @param rule as it was at the decision; a later one of its name may have other limits
         * @param charge its charge; null if the rule was not asked
         * @param part the decision on the rule; null if it was not asked
         * @param waited how long the request waited for the rule
         */
        void add(RateLimitRule rule, @Nullable Charge charge, @Nullable Decision part, Duration waited);
    }
}
