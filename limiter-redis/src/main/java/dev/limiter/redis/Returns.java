package dev.limiter.redis;

import dev.limiter.Charge;

/** Returns permits, without waiting for the server. Thread-safe. */
interface Returns {

    /** {@code held}: those of concurrency limits, else those of all others. */
    void giveBack(RedisDecision decision, boolean held);

    /** Releases the hold that a call may have taken before its answer was lost. */
    void releaseUnanswered(Charge charge, RemoteRule remote, byte[] hold);
}
