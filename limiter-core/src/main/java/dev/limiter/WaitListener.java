package dev.limiter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Is told of requests that wait for permits; see {@link RateLimiters#onWait}. Called by threads that decide: has to be
 * quick and thread-safe, and must not throw.
 */
@FunctionalInterface
public interface WaitListener {

    /**
     * A request comes that cannot go on at once. Called in the thread that asks.
     *
     * @return what is told of the wait; null if nothing is
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
