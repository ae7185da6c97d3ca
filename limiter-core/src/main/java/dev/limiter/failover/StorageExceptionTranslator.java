package dev.limiter.failover;

import dev.limiter.failover.StorageUnavailableException.Reason;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Says what a storage fails with. Immutable. */
public interface StorageExceptionTranslator {

    /** For a storage that tells no failures apart. */
    StorageExceptionTranslator PLAIN = new StorageExceptionTranslator() {};

    /**
     * The exception to throw for what a call has failed with, wrapped by futures or not. Default: {@link
     * StorageUnavailableException} and {@link IllegalArgumentException} as they are, and a new {@link
     * StorageUnavailableException} for all others.
     */
    default RuntimeException failure(Throwable failure) {
        Throwable cause = causeOf(failure);
        return cause instanceof StorageUnavailableException || cause instanceof IllegalArgumentException
                ? (RuntimeException) cause
                : new StorageUnavailableException("The storage failed: " + cause, cause);
    }

    /** The exception for an answer that did not come within a budget. */
    default StorageUnavailableException timedOut(Budget budget) {
        return budget.late() == 0
                ? new StorageUnavailableException(
                        "The storage did not answer within " + budget.timeout(), null, Reason.TIMED_OUT)
                : new StorageUnavailableException(
                        "This JVM did not run in time to read an answer of the storage within " + budget.timeout(),
                        null,
                        Reason.STOOD_STILL);
    }

    /** The failure that futures have wrapped, or the failure itself. */
    static Throwable causeOf(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable inner = failure.getCause();
        return wrapped && inner != null ? inner : failure;
    }
}
