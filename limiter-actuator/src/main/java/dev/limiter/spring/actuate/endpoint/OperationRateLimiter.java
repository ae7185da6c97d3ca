package dev.limiter.spring.actuate.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Bounds what operators do to {@value #MOST} operations a second, in this instance. Thread-safe. */
final class OperationRateLimiter {

    static final int MOST = 100;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private long second;
    private int operations;

    OperationRateLimiter(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.second = nanoTime.getAsLong();
    }

    /** @throws TooManyOperationsException if there were too many since the second began */
    synchronized void admit() {
        long now = nanoTime.getAsLong();
        if (now - second >= SECOND) {
            second = now;
            operations = 0;
        }
        if (operations == MOST) {
            throw new TooManyOperationsException();
        }
        operations++;
    }

    /** Each operation is told to listeners of audit events, and one more now would be too many for them. */
    static final class TooManyOperationsException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TooManyOperationsException() {
            super("There were " + MOST + " operations within a second, and this one has changed nothing. Repeat it in a"
                    + " second.");
        }
    }
}
