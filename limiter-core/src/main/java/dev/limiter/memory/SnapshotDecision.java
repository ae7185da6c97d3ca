package dev.limiter.memory;

import dev.limiter.Rule;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.SingleNumberLimit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A decision on any number of permits and limits, with a copy of the values. Held permits are released, and all
 * permits are returned, once.
 */
final class SnapshotDecision extends AbstractDecision {

    private static final VarHandle RETURNED;
    private static final VarHandle RELEASED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RETURNED = lookup.findVarHandle(SnapshotDecision.class, "returned", boolean.class);
            RELEASED = lookup.findVarHandle(SnapshotDecision.class, "released", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Cell cell;
    private final Readings readings;
    private final boolean permitted;

    /** The most permits taken of any limit; 0 if none were. */
    private final long taken;

    /** When they were taken, in epoch nanoseconds. */
    private final long now;

    /** The permits of the key that had been returned by that time. */
    private final long returnedBefore;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // accessed through RETURNED
    private volatile boolean returned;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // accessed through RELEASED
    private volatile boolean released;

    private SnapshotDecision(
            Cell cell, Readings readings, boolean permitted, long taken, long now, long returnedBefore) {
        this.cell = cell;
        this.readings = readings;
        this.permitted = permitted;
        this.taken = taken;
        this.now = now;
        this.returnedBefore = returnedBefore;
    }

    /** Returns a decision that took permits, for now or after the delay in {@code readings}. */
    static SnapshotDecision taken(Cell cell, Readings readings, long permits, long now, long returnedBefore) {
        return new SnapshotDecision(cell, readings, true, permits, now, returnedBefore);
    }

    /** Returns a decision that took nothing: a rejection or the result of a peek. */
    static SnapshotDecision of(Cell cell, boolean permitted, Readings readings) {
        return new SnapshotDecision(cell, readings, permitted, 0, 0, 0);
    }

    @Override
    public boolean permitted() {
        return permitted;
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
    protected long delayNanos() {
        return readings.delayNanos();
    }

    @Override
    public long turnNanos() {
        return taken > 0 && readings.delayNanos() > 0 ? now + readings.delayNanos() : Long.MIN_VALUE;
    }

    @Override
    public void giveBack() {
        if (taken > 0 && RETURNED.compareAndSet(this, false, true)) {
            giveBack(false);
        }
        close();
    }

    @Override
    public void close() {
        if (taken > 0 && cell.bound.holds() && RELEASED.compareAndSet(this, false, true)) {
            giveBack(true);
        }
    }

    /** Returns what was taken of concurrency limits, or of all others. */
    private void giveBack(boolean held) {
        long[] marks = new long[cell.bound.size()];
        for (int i = 0; i < marks.length; i++) {
            marks[i] = cell.bound.holds(i) == held ? readings.mark(i) : SingleNumberLimit.NOTHING;
        }
        cell.bound.cells.giveBack(new PermitReturn(cell, marks, taken, readings.own(), now, returnedBefore));
    }

    @Override
    protected long remaining(int limit) {
        return readings.remaining(limit);
    }

    @Override
    protected long waitNanos(int limit) {
        return readings.waitNanos(limit);
    }

    @Override
    protected long resetNanos(int limit) {
        return readings.resetNanos(limit);
    }
}
