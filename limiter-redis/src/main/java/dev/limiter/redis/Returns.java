package dev.limiter.redis;

import dev.limiter.Charge;

/** Returns permits without waiting for the server. Thread-safe. */
interface Returns {

    /** Returns the permits of concurrency limits if {@code held}, otherwise those of all other limits. */
    void giveBack(RedisDecision decision, boolean held);

    /** Releases permits that a call may hold although its reply was lost. */
    void releaseUnanswered(Charge charge, RemoteRule remote, byte[] hold);
}
