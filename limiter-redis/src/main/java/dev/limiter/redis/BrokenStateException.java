package dev.limiter.redis;

import dev.limiter.failover.StorageUnavailableException;

/** A key that is named like a state holds something else: Redis is well, but this state cannot be decided on there. */
final class BrokenStateException extends StorageUnavailableException {

    private static final long serialVersionUID = 1;

    BrokenStateException(String message, Throwable cause) {
        super(message, cause, Reason.BROKEN_STATE);
    }
}
