package dev.limiter.memory;

import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.SingleNumberLimit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A decision on one permit of a single-number limit, for a key with no returned permits. Contains the number and the
 * time, in 32 bytes; everything else is computed on demand.
 */
final class NumberDecision extends AbstractDecision {

    private static final VarHandle STAMP;

    static {
        try {
            STAMP = MethodHandles.lookup().findVarHandle(NumberDecision.class, "stamp", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final NumberCell cell;
    private final long value;

    /** The time, shifted left; the lowest bit means permitted, the sign means given back. */
    private long stamp;

    NumberDecision(NumberCell cell, boolean permitted, long now, long value) {
        this.cell = cell;
        this.value = value;
        this.stamp = now << 1 | (permitted ? 1 : 0);
    }

    private long now() {
        return (stamp & Long.MAX_VALUE) >> 1;
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
        return remaining(0);
    }

    @Override
    public void giveBack() {
        if (permitted() && (long) STAMP.getAndBitwiseOr(this, Long.MIN_VALUE) >= 0) {
            cell.bound.cells.giveBack(new PermitReturn(cell, new long[] {value}, 1, null, now(), 0));
        }
    }

    @Override
    public void close() {
        if (rule().limits().get(0) instanceof Limit.Concurrency) {
            giveBack();
        }
    }

    @Override
    protected long remaining(int limit) {
        return cell.limit().remaining(value, now());
    }

    @Override
    protected long waitNanos(int limit) {
        return permitted() ? 0 : cell.limit().waitNanos(value, now(), 1);
    }

    @Override
    protected long resetNanos(int limit) {
        return NumberCell.resetNanos(cell.limit().freshAt(value), now());
    }

    /** Computes all values from one access to the limit. */
    @Override
    protected LimitStatus status(int limit) {
        SingleNumberLimit arithmetic = cell.limit();
        long now = now();
        long wait = permitted() ? 0 : arithmetic.waitNanos(value, now, 1);
        long reset = NumberCell.resetNanos(arithmetic.freshAt(value), now);
        return status(limit, arithmetic.remaining(value, now), wait, reset);
    }

    @Override
    protected int deciding() {
        return 0;
    }
}
