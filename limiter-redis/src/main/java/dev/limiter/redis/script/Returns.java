package dev.limiter.redis.script;

import dev.limiter.Charge;

/** Takes permits back, without waiting until the server has them. Thread-safe. */
public interface Returns {

    /** {@code held}: those of concurrency limits, else those of all others. */
    void giveBack(RedisDecision decision, boolean held);

    /** Releases what a call whose answer is lost may hold by now under that lease. */
    void releaseUnanswered(Charge charge, RemoteRule remote, byte[] lease);
}
