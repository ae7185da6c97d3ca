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
            public Runnable returning(RemoteRuleStatus standing, boolean held) {
                return () -> {};
            }
        };

        void answered(RemoteRuleStatus standing);

        /**
         * Hears of permits that are on their way back.
         *
         * @param held whether they are those of the concurrency limits, else those of all others
         * @return to be called once, when they are back or lost: before the first answer that takes account of them
         */
        Runnable returning(RemoteRuleStatus standing, boolean held);
    }

    Rule rule();

    String key();

    /** When it was answered, in microseconds of the server's clock. */
    long takenAt();

    /** How many permits this answer took of the limit at that position; 0 if it only looked, or refused. */
    long taken(int limit);

    /** How many permits were left of the limit at that position. */
    long left(int limit);

    /**
     * After how many nanoseconds nothing used counts any longer; {@link dev.limiter.Decision#UNKNOWN} for concurrency.
     */
    long lastingNanos(int limit);
}
