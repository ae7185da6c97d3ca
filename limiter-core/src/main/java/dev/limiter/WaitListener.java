package dev.limiter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives requests that wait for permits; see {@link RateLimiters#onWait}. Called by deciding threads: implementations
 * are thread-safe and quick, and must neither block nor throw; what they throw is logged, and changes nothing.
 */
@FunctionalInterface
public interface WaitListener {

    /**
     * A request comes that cannot go on at once. Called in the thread of the caller.
     *
     * @return hears of this wait; null to hear nothing of it
     */
    @Nullable
    Wait comes(List<Charge> charges);

    /** One request. Its methods are called in any thread, one after the other. */
    interface Wait {

        /**
         * The request waits for its turn, or for a release. Not called for a request that is decided at once after all.
         */
        void begins();

        /**
         * The wait is over; called once after {@link #begins()}.
         *
         * @param decision the answer; null if the request has given up, or the storage has failed
         */
        void ends(@Nullable Decision decision);
    }
}
