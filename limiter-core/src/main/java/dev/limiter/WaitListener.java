package dev.limiter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives requests that wait for permits; see {@link RateLimiters#onWait}. Called by deciding threads, so
 * implementations must be thread-safe and fast, and must not block. Exceptions are logged and otherwise ignored.
 */
@FunctionalInterface
public interface WaitListener {

    /**
     * Called when a request cannot proceed at once, in the thread of the caller.
     *
     * @return a listener for this wait, or null to ignore it
     */
    @Nullable
    Wait comes(List<Charge> charges);

    /** Listens to one request. Its methods are called in any thread, one after the other. */
    interface Wait {

        /**
         * Called when the request starts waiting for its turn or for a release; not called if it can be decided at once
         * after all.
         */
        void begins();

        /**
         * Called when the wait is over, once after {@link #begins()}.
         *
         * @param decision the decision; null if the request gave up or the storage failed
         */
        void ends(@Nullable Decision decision);
    }
}
