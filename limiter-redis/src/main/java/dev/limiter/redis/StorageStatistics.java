package dev.limiter.redis;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the calls of a {@link RedisRateLimiterStorage}, those that it saved, and lost returns, since its creation.
 * Thread-safe.
 */
public final class StorageStatistics {

    private final LongAdder leaseHits = new LongAdder();
    private final LongAdder knownRejections = new LongAdder();
    private final LongAdder calls = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder lostReturns = new LongAdder();

    /** Returns the decisions made with a leased permit, without calling Redis. */
    public long leaseHits() {
        return leaseHits.sum();
    }

    /** Returns the rejections that followed from an earlier reply, without calling Redis. */
    public long knownRejections() {
        return knownRejections.sum();
    }

    /** Returns the calls of deciding scripts. */
    public long calls() {
        return calls.sum();
    }

    /** Returns the requests in all these calls; divided by {@link #calls()}, the mean batch size. */
    public long requests() {
        return requests.sum();
    }

    /** Returns the refunds that Redis did not confirm, so that their permits may still be charged. */
    public long lostReturns() {
        return lostReturns.sum();
    }

    void leaseHit() {
        leaseHits.increment();
    }

    void knownRejection() {
        knownRejections.increment();
    }

    void called(int withRequests) {
        calls.increment();
        requests.add(withRequests);
    }

    void lostReturn() {
        lostReturns.increment();
    }
}
