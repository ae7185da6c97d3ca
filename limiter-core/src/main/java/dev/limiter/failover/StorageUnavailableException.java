package dev.limiter.failover;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Thrown when a remote storage did not decide. Has no stack trace, because an outage throws many of these. */
public final class StorageUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Why the storage did not decide. */
    public enum Reason {
        /** The storage failed or could not be reached. */
        FAILED,
        /** There was no reply in time. */
        TIMED_OUT,
        /** This JVM was paused or too slow to read the reply in time. */
        STOOD_STILL,
        /** The call was not sent, or was rejected as a whole: nothing changed. */
        NOT_DONE,
        /** The storage's user lacks a permission. */
        LACKS_RIGHT,
        /** One state cannot be read; the storage itself works. */
        BROKEN_STATE
    }

    private final Reason reason;

    public StorageUnavailableException(String message, @Nullable Throwable cause) {
        this(message, cause, Reason.FAILED);
    }

    public StorageUnavailableException(String message, @Nullable Throwable cause, Reason reason) {
        super(message, cause, false, false);
        this.reason = reason;
    }

    /** Returns the exception to throw for a failed call; an {@link IllegalArgumentException} is kept. */
    static RuntimeException of(Throwable failure) {
        Throwable cause = causeOf(failure);
        return cause instanceof StorageUnavailableException || cause instanceof IllegalArgumentException
                ? (RuntimeException) cause
                : new StorageUnavailableException("The storage failed: " + cause, cause);
    }

    /** Creates the exception for a reply that did not come within a budget. */
    static StorageUnavailableException timedOut(Budget budget) {
        return budget.late() == 0
                ? new StorageUnavailableException(
                        "The storage did not reply within " + budget.timeout(), null, Reason.TIMED_OUT)
                : new StorageUnavailableException(
                        "This JVM was too slow to read a reply of the storage within " + budget.timeout(),
                        null,
                        Reason.STOOD_STILL);
    }

    /** Returns the failure without the exceptions that futures wrap around it. */
    public static Throwable causeOf(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable inner = failure.getCause();
        return wrapped && inner != null ? inner : failure;
    }

    public Reason reason() {
        return reason;
    }

    /** Returns whether only one state is affected, so that other charges can be decided. */
    boolean isOfOneState() {
        return reason == Reason.BROKEN_STATE;
    }
}
