package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.NumberLimit;
import dev.limiter.Rule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Any other decision: several limits, another number of permits than one, or none charged. */
class SnapshotDecision extends Decision {

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

    final Cell cell;
    final long charged;
    private final boolean permitted;
    private final Readings readings;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RETURNED
    private volatile boolean returned;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RELEASED
    private volatile boolean released;

    SnapshotDecision(Cell cell, boolean permitted, long charged, Readings readings) {
        this.cell = cell;
        this.permitted = permitted;
        this.charged = charged;
        this.readings = readings;
    }

    @Override
    protected long delayNanos() {
        return readings.delayNanos();
    }

    @Override
    protected final String key() {
        return cell.key;
    }

    @Override
    public boolean permitted() {
        return permitted;
    }

    @Override
    public Rule rule() {
        return cell.bound.rule;
    }

    @Override
    public void giveBack() {
        if (returnOnce()) {
            giveBack(false);
        }
        close();
    }

    final boolean returnOnce() {
        return charged > 0 && RETURNED.compareAndSet(this, false, true);
    }

    @Override
    public void close() {
        if (charged > 0 && cell.bound.holds() && RELEASED.compareAndSet(this, false, true)) {
            giveBack(true);
        }
    }

    /** Returns what was taken of the concurrency limits, or of all others. */
    private void giveBack(boolean held) {
        long[] marks = marks();
        for (int i = 0; i < marks.length; i++) {
            if (cell.bound.holds(i) != held) {
                marks[i] = NumberLimit.NOTHING;
            }
        }
        cell.bound.states.giveBack(cell, marks, charged);
    }

    /** The state of each limit right after the permits were taken. */
    long[] marks() {
        return readings.marks();
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

    /** What each limit said: four numbers each, in one array. */
    static final class Readings {

        private final long[] numbers;
        private long delayNanos;

        Readings(int limits) {
            numbers = new long[4 * limits];
        }

        long delayNanos() {
            return delayNanos;
        }

        void delayNanos(long nanos) {
            delayNanos = nanos;
        }

        long remaining(int limit) {
            return numbers[4 * limit];
        }

        long waitNanos(int limit) {
            return numbers[4 * limit + 1];
        }

        long resetNanos(int limit) {
            return numbers[4 * limit + 2];
        }

        long mark(int limit) {
            return numbers[4 * limit + 3];
        }

        long[] marks() {
            long[] marks = new long[numbers.length / 4];
            for (int i = 0; i < marks.length; i++) {
                marks[i] = mark(i);
            }
            return marks;
        }

        void remaining(int limit, long permits) {
            numbers[4 * limit] = permits;
        }

        void waitNanos(int limit, long nanos) {
            numbers[4 * limit + 1] = nanos;
        }

        void resetNanos(int limit, long nanos) {
            numbers[4 * limit + 2] = nanos;
        }

        void mark(int limit, long mark) {
            numbers[4 * limit + 3] = mark;
        }
    }
}
