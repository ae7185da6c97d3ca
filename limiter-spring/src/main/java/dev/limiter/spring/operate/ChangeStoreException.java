package dev.limiter.spring.operate;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Changes cannot be kept or read now. */
public final class ChangeStoreException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean unreadable;

    public ChangeStoreException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private ChangeStoreException(String message, @Nullable Throwable cause, boolean unreadable) {
        super(message, cause);
        this.unreadable = unreadable;
    }

    /** There is something else where changes should be, until an operator repairs that. */
    public static ChangeStoreException unreadable(String message, @Nullable Throwable cause) {
        return new ChangeStoreException(message, cause, true);
    }

    /** Whether an operator has to do the same about another failure. */
    public boolean isSameAs(@Nullable ChangeStoreException other) {
        return other != null
                && unreadable == other.unreadable
                && (!unreadable || Objects.equals(getMessage(), other.getMessage()));
    }

    boolean isUnreadable() {
        return unreadable;
    }
}
