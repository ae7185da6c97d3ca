package dev.limiter.redis;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a {@link RedisRateLimiterStorage} was spared, and what it lost, since it was made. Thread-safe. */
public final class StorageStatistics {

    private final LongAdder leaseHits = new LongAdder();
    private final LongAdder knownRejections = new LongAdder();
    private final LongAdder calls = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder lostReturns = new LongAdder();

    /** Decisions by a permit that was taken ahead, without asking Redis. */
    public long leaseHits() {
        return leaseHits.sum();
    }

    /** Rejections that followed from what Redis had answered before, without asking it. */
    public long knownRejections() {
        return knownRejections.sum();
    }

    /** Calls of a script that decides. */
    public long calls() {
        return calls.sum();
    }

    /** Requests in all these calls together: divided by {@link #calls()}, the size of a batch. */
    public long requests() {
        return requests.sum();
    }

    /** Give-backs that Redis did not confirm: these permits may be charged in vain. */
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
