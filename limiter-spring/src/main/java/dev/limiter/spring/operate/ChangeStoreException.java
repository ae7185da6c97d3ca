package dev.limiter.spring.operate;

import org.jspecify.annotations.Nullable;

/** Thrown if changes cannot be stored or read at the moment. */
public final class ChangeStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ChangeStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
