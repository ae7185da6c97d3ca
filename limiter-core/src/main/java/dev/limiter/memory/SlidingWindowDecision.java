package dev.limiter.memory;

import dev.limiter.Rule;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.SlidingWindowLimit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A decision on one permit of a sliding window limit, in 32 bytes. The state itself changes later, so this stores two
 * of its values. If permitted: the recorded time and the remaining permits. If rejected: the retry and reset times;
 * nothing remained then, or one permit would have been granted.
 */
final class SlidingWindowDecision extends AbstractDecision {

    private static final VarHandle STAMP;

    static {
        try {
            STAMP = MethodHandles.lookup().findVarHandle(SlidingWindowDecision.class, "stamp", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LockedCell cell;
    private final long other;

    /** The recorded time or the wait, shifted left; the lowest bit means permitted, the sign means given back. */
    private long stamp;

    private SlidingWindowDecision(LockedCell cell, long stamp, long other) {
        this.cell = cell;
        this.stamp = stamp;
        this.other = other;
    }

    static SlidingWindowDecision permitted(LockedCell cell, long takenAt, long remaining) {
        return new SlidingWindowDecision(cell, takenAt << 1 | 1, remaining);
    }

    static SlidingWindowDecision rejected(LockedCell cell, long waitNanos, long resetNanos) {
        return new SlidingWindowDecision(cell, waitNanos << 1, resetNanos);
    }

    private long stamped() {
        return (stamp & Long.MAX_VALUE) >> 1;
    }

    private SlidingWindowLimit arithmetic() {
        return Objects.requireNonNull(cell.bound.window);
    }

    @Override
    public boolean permitted() {
        return (stamp & 1) != 0;
    }

    @Override
    public boolean sharesState() {
        return cell.isShared();
    }

    @Override
    public Rule rule() {
        return cell.bound.rule;
    }

    @Override
    public long remaining() {
        return permitted() ? other : 0;
    }

    @Override
    public void giveBack() {
        if (permitted() && (long) STAMP.getAndBitwiseOr(this, Long.MIN_VALUE) >= 0) {
            // other returned permits do not shift a time
            cell.bound.cells.giveBack(new PermitReturn(cell, new long[] {stamped()}, 1, null, Long.MIN_VALUE, 0));
        }
    }

    @Override
    protected long remaining(int limit) {
        return remaining();
    }

    @Override
    protected long waitNanos(int limit) {
        return permitted() ? 0 : stamped();
    }

    @Override
    protected long resetNanos(int limit) {
        return permitted() ? arithmetic().forgottenAt(stamped()) - stamped() : other;
    }

    @Override
    protected int deciding() {
        return 0;
    }
}
