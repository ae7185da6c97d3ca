package dev.limiter.failover;

import dev.limiter.Rule;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Debt of a key to the shared storage at some moment.
 *
 * @param share the rule by which memory tells how much counts
 * @param limits what is to be charged of each
 * @param holding grants that hold permits of a concurrency limit
 */
record Debt(Rule share, List<Part> limits, List<OutageGrant> holding) {

    /** The debt of one limit. Used by one thread at a time. */
    static final class Part {

        final String limit;
        final long owed;
        private final LimitUse use;
        private long settled;

        Part(LimitUse use) {
            this.limit = use.name;
            this.owed = use.owed();
            this.use = use;
        }

        /** So many permits are charged, or need not be any more; the rest is owed still. */
        void settled(long permits) {
            settled = permits;
        }

        /** Grants before this generation owe no more what is settled. */
        void end(int generation) {
            use.settled(settled, generation);
        }
    }

    /** Charges a debt in the shared storage. */
    interface Settlement {
        CompletionStage<?> settle(Debt debt);
    }
}
