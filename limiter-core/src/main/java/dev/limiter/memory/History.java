package dev.limiter.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The events of a key that the number of a limit does not show: returned permits, and waits that were granted or
 * carried over from other limits. Other keys have none. A successor goes on with the history of the cell before it. Thread-safe.
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

    /** Guarded by the lock of the cell. */
    private @Nullable OfEach ofEach;

    /** Permits that were returned of each limit of one version of a rule, at most. */
    private record OfEach(BoundRule bound, long[] returned) {}

    /** Permits that requests have returned, at most. */
    long returned() {
        return returned;
    }

    /** Notes that permits are about to be returned: before each attempt, so that no request sees too few. */
    void returning(long permits) {
        RETURNED.getAndAdd(this, permits);
    }

    /**
     * How many permits of each limit were returned, at most, since a cell of this version had any returned; to be
     * counted on. For cells with several limits, with their lock held.
     */
    long[] returnedOfEach(BoundRule bound) {
        OfEach known = ofEach;
        if (known == null || known.bound != bound) {
            known = new OfEach(bound, new long[bound.size()]);
            ofEach = known;
        }
        return known.returned;
    }

    /** The longest wait that was granted or carried over from other limits, in nanoseconds. */
    long longestWait() {
        return longestWait;
    }

    /** Notes that a wait is about to be granted, or is carried over. */
    void waiting(long nanos) {
        for (long longest = longestWait; nanos > longest; longest = longestWait) {
            LONGEST_WAIT.compareAndSet(this, longest, nanos);
        }
    }
}
