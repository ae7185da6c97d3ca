package dev.limiter.failover;

import dev.limiter.Rule;

/** Where the limits of one rule and key stood in the shared storage by its last answer. */
public interface RemoteRuleStatus {

    /** Hears what the shared storage says of each state, in the order of its answers, and what is given back to it. */
    interface Listener {

        Listener NONE = new Listener() {
            @Override
            public void answered(RemoteRuleStatus standing) {}

            @Override
            public Return returning(RemoteRuleStatus standing, boolean held) {
                return new Return() {};
            }
        };

        void answered(RemoteRuleStatus standing);

        /**
         * Hears of permits that are about to be sent back.
         *
         * @param held whether they are those of the concurrency limits, else those of all others
         * @return to be told how that goes on
         */
        Return returning(RemoteRuleStatus standing, boolean held);
    }

    /**
     * Permits on their way back. Answers that are {@linkplain Listener#answered heard} from {@link #sent} to {@link #ended}
     * leave them to be had; others are taken at their word.
     */
    interface Return {

        /**
         * Answers that are heard from now on, until it has {@linkplain #ended ended}, were made before the permits were
         * back. Not called where that is not certain. Default: does nothing.
         */
        default void sent() {}

        /** The permits are back, or lost, or will be sent once more. A second call changes nothing. Default: does nothing. */
        default void ended() {}
    }

    Rule rule();

    String key();

    /** When it was answered, in microseconds of the server's clock. */
    long takenAt();

    /** How many permits this answer took of the limit at that position; 0 if it only looked, or refused. */
    long taken(int limit);

    /**
     * The time from then on after which the request of this answer goes on, in nanoseconds; 0 at once. Permits of a fixed
     * window that a request waits for are those of the next one. Default: 0.
     */
    default long requestDelayNanos() {
        return 0;
    }

    /**
     * How many permits were left of the limit at that position, with those that the request had to leave; below 0 as
     * many as are used beyond it, which another limit had admitted, or requests that wait have taken of a bucket.
     */
    long left(int limit);

    /**
     * After how many nanoseconds nothing used counts any longer; {@link dev.limiter.Decision#UNKNOWN} for concurrency.
     */
    long lastingNanos(int limit);
}
