package dev.limiter.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Events of a key that the number of a limit does not contain: returned permits, and waits that were granted or carried
 * over. Keys without such events have no history. A successor shares the history of its predecessor. Thread-safe.
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

    /** Upper bounds of the permits returned to each limit of one version of a rule. */
    private record OfEach(BoundRule bound, long[] returned) {}

    /** Returns an upper bound of the permits that requests have returned. */
    long returned() {
        return returned;
    }

    /** Records that permits are about to be returned; before each attempt, so that no request sees too few. */
    void returning(long permits) {
        RETURNED.getAndAdd(this, permits);
    }

    /**
     * Returns upper bounds of the permits returned per limit, since a cell of this version had any returned; the caller
     * may update them. For cells with several limits; requires their lock.
     */
    long[] returnedOfEach(BoundRule bound) {
        OfEach known = ofEach;
        if (known == null || known.bound != bound) {
            known = new OfEach(bound, new long[bound.size()]);
            ofEach = known;
        }
        return known.returned;
    }

    /** Returns the longest wait in nanoseconds that was granted or carried over from other limits. */
    long longestWait() {
        return longestWait;
    }

    /** Records a wait that is about to be granted or is carried over. */
    void waiting(long nanos) {
        for (long longest = longestWait; nanos > longest; longest = longestWait) {
            LONGEST_WAIT.compareAndSet(this, longest, nanos);
        }
    }
}
