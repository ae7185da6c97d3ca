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
            public void returned(RemoteRuleStatus standing, boolean held) {}
        };

        void answered(RemoteRuleStatus standing);

        /** {@code held}: of the concurrency limits, else of all others. */
        void returned(RemoteRuleStatus standing, boolean held);
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
