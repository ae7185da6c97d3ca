package dev.limiter.redis;

import org.jspecify.annotations.Nullable;

/** Redis did not decide: it is slow, gone, or refuses to. Has no stack trace, since an outage is many of these. */
public final class RedisUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public RedisUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
    }
}
