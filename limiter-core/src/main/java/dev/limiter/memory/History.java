package dev.limiter.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What happened to a key that the number of a limit does not tell: only keys have one of which permits were returned, or
 * a turn was granted ahead. A successor goes on with the history of the cell before it. Thread-safe.
 */
final class History {

    private static final VarHandle RETURNED;
    private static final VarHandle LONGEST_WAIT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RETURNED = lookup.findVarHandle(History.class, "returned", long.class);
            LONGEST_WAIT = lookup.findVarHandle(History.class, "longestWait", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long returned;
    private volatile long longestWait;

    /** Permits that requests have returned, at most. */
    long returned() {
        return returned;
    }

    /** Notes that permits are about to be returned: before each attempt, so that no request sees too few. */
    void returning(long permits) {
        RETURNED.getAndAdd(this, permits);
    }

    /** The longest wait that was granted, in nanoseconds. */
    long longestWait() {
        return longestWait;
    }

    /** Notes that a wait is about to be granted. */
    void waiting(long nanos) {
        for (long longest = longestWait; nanos > longest; longest = longestWait) {
            LONGEST_WAIT.compareAndSet(this, longest, nanos);
        }
    }
}
