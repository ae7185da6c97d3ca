package dev.limiter.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Redis did not decide: it is slow, gone, or refuses to. Has no stack trace, since an outage is many of these. */
public final class RedisUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean timeout;

    public RedisUnavailableException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private RedisUnavailableException(String message, @Nullable Throwable cause, boolean timeout) {
        super(message, cause, false, false);
        this.timeout = timeout;
    }

    static RedisUnavailableException timedOut(Duration timeout) {
        return new RedisUnavailableException("Redis did not answer within " + timeout, null, true);
    }

    /** Whether there was no answer in time; nobody knows then whether Redis decided. */
    public boolean isTimeout() {
        return timeout;
    }
}
