package dev.limiter.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Redis did not decide: it is slow, gone, or refuses to. Has no stack trace, since an outage is many of these. */
public final class RedisUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean timeout;
    private final boolean stalled;

    public RedisUnavailableException(String message, @Nullable Throwable cause) {
        this(message, cause, false, false);
    }

    private RedisUnavailableException(String message, @Nullable Throwable cause, boolean timeout, boolean stalled) {
        super(message, cause, false, false);
        this.timeout = timeout;
        this.stalled = stalled;
    }

    static RedisUnavailableException timedOut(Duration timeout) {
        return new RedisUnavailableException("Redis did not answer within " + timeout, null, true, false);
    }

    static RedisUnavailableException timedOut(Budget budget) {
        return budget.late() == 0
                ? timedOut(budget.timeout())
                : new RedisUnavailableException(
                        "This JVM did not run in time to read an answer of Redis within " + budget.timeout(),
                        null,
                        true,
                        true);
    }

    static RedisUnavailableException unsettled() {
        return new RedisUnavailableException(
                "Redis does not know yet of what was granted in memory just now", null, false, true);
    }

    /** Whether there was no answer in time; nobody knows then whether Redis decided. */
    public boolean isTimeout() {
        return timeout;
    }

    /** Whether this JVM was the reason, such as by standing still: then it says nothing about Redis. */
    boolean isOfThisJvm() {
        return stalled;
    }
}
