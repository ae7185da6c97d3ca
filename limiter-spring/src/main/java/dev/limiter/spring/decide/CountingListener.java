package dev.limiter.spring.decide;

import dev.limiter.Decision;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A listener that counts: it is told of a decision by a tally of its rule, resource and outcome, so that nothing is
 * made or looked up for it, and by {@link #onDecision} only where the tally asks for the event.
 */
public interface CountingListener extends RateLimitListener {

    /** Where decisions of a rule on a resource with that outcome are counted. Called once for each. */
    Tally tally(String rule, String resource, Outcome outcome);

    /** Counts decisions. Thread-safe. */
    @FunctionalInterface
    interface Tally {

        /**
         * Counts a decision.
         *
         * @param part the decision on the rule; null if it was not asked
         * @param waited how long the request waited for the rule
         * @return whether {@link #onDecision} is to be told of the event
         */
        boolean add(@Nullable Decision part, Duration waited);
    }
}
