package dev.limiter.spi;

/** The state of a {@link SingleNumberLimit} as an object, for rules with several limits. */
public final class NumberState implements LimitState {

    private final SingleNumberLimit limit;
    private long value;
    private long longestWait;

    public NumberState(SingleNumberLimit limit, long value) {
        this(limit, value, 0);
    }

    /**
     * Creates a state.
     *
     * @param longestWait the longest wait in nanoseconds, 0 or more, that was granted to this key or carried over from
     *     another limit
     */
    public NumberState(SingleNumberLimit limit, long value, long longestWait) {
        this.limit = limit;
        this.value = value;
        this.longestWait = longestWait;
    }

    public long value() {
        return value;
    }

    /** Returns the longest wait in nanoseconds that was granted to this key or carried over from another limit. */
    public long longestWait() {
        return longestWait;
    }

    @Override
    public long waitNanos(long now, long permits) {
        value = limit.settle(value, now, longestWait);
        return limit.waitNanos(value, now, permits);
    }

    @Override
    public long take(long now, long permits) {
        value = limit.take(value, now, permits);
        return value;
    }

    @Override
    public long admissionNanos(long now, long permits, long maxWait) {
        value = limit.settle(value, now, longestWait);
        return limit.admissionNanos(value, now, permits, maxWait);
    }

    @Override
    public long reserve(long now, long wait, long permits) {
        long next = limit.reserve(value, now, wait, permits);
        if (next == SingleNumberLimit.REJECTED) {
            return SingleNumberLimit.NOTHING;
        }
        value = next;
        longestWait = Math.max(longestWait, wait);
        return value;
    }

    @Override
    public void giveBack(TakenPermits taken, long now) {
        value = limit.giveBack(value, taken, now);
    }

    @Override
    public long remaining(long now) {
        return limit.remaining(value, now);
    }

    @Override
    public long freshAt(long now) {
        return limit.freshAt(value);
    }

    @Override
    public void carry(LimitState previous, CompiledLimit previousLimit, long now) {
        value = limit.carry(previousLimit, previous, now);
        longestWait = 0;
        if (previous instanceof NumberState number) {
            longestWait = number.longestWait;
            if (limit.hasTurns() && number.isSettled(now) && limit.settle(value, now, longestWait) != value) {
                // further ahead than this limit allows, although the clock did not step back
                longestWait = Math.max(longestWait, limit.waitNanos(value, now, 1));
            }
        }
    }

    private boolean isSettled(long now) {
        return limit.covers(now) && limit.settle(value, now, longestWait) == value;
    }
}
