package dev.limiter.redis;

import dev.limiter.failover.Budget;
import dev.limiter.failover.StorageUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Redis did not decide: it is slow, gone, or refuses to. Has no stack trace, since an outage is many of these. */
public final class RedisUnavailableException extends StorageUnavailableException {

    private static final long serialVersionUID = 1;

    public RedisUnavailableException(String message, @Nullable Throwable cause) {
        this(message, cause, Reason.FAILED);
    }

    private RedisUnavailableException(String message, @Nullable Throwable cause, Reason reason) {
        super(message, cause, reason);
    }

    static RedisUnavailableException timedOut(Duration timeout) {
        return new RedisUnavailableException("Redis did not answer within " + timeout, null, Reason.TIMED_OUT);
    }

    static RedisUnavailableException timedOut(Budget budget) {
        return budget.late() == 0
                ? timedOut(budget.timeout())
                : new RedisUnavailableException(
                        "This JVM did not run in time to read an answer of Redis within " + budget.timeout(),
                        null,
                        Reason.STOOD_STILL);
    }

    /** The command was not sent, or refused as a whole. */
    static RedisUnavailableException notDone(String message, @Nullable Throwable cause) {
        return new RedisUnavailableException(message, cause, Reason.NOT_DONE);
    }

    static RedisUnavailableException lacksRight(String message, Throwable cause) {
        return new RedisUnavailableException(message, cause, Reason.LACKS_RIGHT);
    }

    /** Whether nothing was done of what was asked for: it may be asked for again. */
    boolean isNotDone() {
        return reason() == Reason.NOT_DONE;
    }

    /** Whether the user of Redis lacks a right. */
    boolean isOfRights() {
        return reason() == Reason.LACKS_RIGHT;
    }
}
