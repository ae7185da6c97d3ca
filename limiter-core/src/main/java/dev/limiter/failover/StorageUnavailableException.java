package dev.limiter.failover;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A remote storage did not decide. Has no stack trace, because an outage throws many of these. */
public final class StorageUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** The cause. */
    public enum Reason {
        /** The storage failed or could not be reached. */
        FAILED,
        /** There was no reply in time. */
        TIMED_OUT,
        /** This JVM did not run in time to read the reply. */
        STOOD_STILL,
        /** The call was not sent, or rejected as a whole: nothing was done. */
        NOT_DONE,
        /** The storage's user lacks a right. */
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

    /** The exception to throw for the failure of a call: an {@link IllegalArgumentException} stays one. */
    static RuntimeException of(Throwable failure) {
        Throwable cause = causeOf(failure);
        return cause instanceof StorageUnavailableException || cause instanceof IllegalArgumentException
                ? (RuntimeException) cause
                : new StorageUnavailableException("The storage failed: " + cause, cause);
    }

    /** The failure if there is no reply within a budget. */
    static StorageUnavailableException timedOut(Budget budget) {
        return budget.late() == 0
                ? new StorageUnavailableException(
                        "The storage did not answer within " + budget.timeout(), null, Reason.TIMED_OUT)
                : new StorageUnavailableException(
                        "This JVM did not run in time to read an answer of the storage within " + budget.timeout(),
                        null,
                        Reason.STOOD_STILL);
    }

    /** The failure without the exception that futures wrap around it. */
    public static Throwable causeOf(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable inner = failure.getCause();
        return wrapped && inner != null ? inner : failure;
    }

    public Reason reason() {
        return reason;
    }

    /** Returns whether other states can be decided on. */
    boolean isOfOneState() {
        return reason == Reason.BROKEN_STATE;
    }
}
