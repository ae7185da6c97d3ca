package dev.limiter.redis;

/** Under the name of a state is something that is none: Redis is well, but this key cannot be decided there. */
public final class BrokenStateException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public BrokenStateException(String message, Throwable cause) {
        super(message, cause, false, false);
    }
}
