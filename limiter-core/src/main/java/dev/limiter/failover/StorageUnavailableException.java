package dev.limiter.failover;

import org.jspecify.annotations.Nullable;

/** A remote storage did not decide. Has no stack trace, since an outage is many of these. */
public class StorageUnavailableException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Why it did not. */
    public enum Reason {
        /** It failed, or could not be reached. */
        FAILED,
        /** Its answer did not come in time. */
        TIMED_OUT,
        /** This JVM did not run in time to read the answer. */
        STOOD_STILL,
        /** It does not know yet what was granted in memory. */
        UNSETTLED,
        /** The call was not sent, or refused as a whole: nothing was done. */
        NOT_DONE,
        /** The user that limits connect with lacks a right. */
        LACKS_RIGHT,
        /** One state cannot be read; the storage is well otherwise. */
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

    public final Reason reason() {
        return reason;
    }

    /** Whether there was no answer in time; the storage may have decided nevertheless. */
    public final boolean isTimeout() {
        return reason == Reason.TIMED_OUT || reason == Reason.STOOD_STILL;
    }

    /** Whether one state is the reason, and others can be decided on. */
    final boolean isOfOneState() {
        return reason == Reason.BROKEN_STATE;
    }

    /** Whether the storage has answered that it does not do this: others may be decided on. */
    final boolean isAnswer() {
        return reason == Reason.LACKS_RIGHT || reason == Reason.BROKEN_STATE;
    }
}
