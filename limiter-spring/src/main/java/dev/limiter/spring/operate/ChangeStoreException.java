package dev.limiter.spring.operate;

/** Changes cannot be kept or read now. */
public final class ChangeStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ChangeStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
