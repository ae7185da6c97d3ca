package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.Rule;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Any other decision: several limits, another number of permits than one, or none charged. */
final class SnapshotDecision extends Decision {

    private static final VarHandle RETURNED;

    static {
        try {
            RETURNED = MethodHandles.lookup().findVarHandle(SnapshotDecision.class, "returned", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Cell cell;
    private final boolean permitted;
    private final long charged;
    private final Readings readings;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // goes through RETURNED
    private volatile boolean returned;

    SnapshotDecision(Cell cell, boolean permitted, long charged, Readings readings) {
        this.cell = cell;
        this.permitted = permitted;
        this.charged = charged;
        this.readings = readings;
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
        if (charged > 0 && RETURNED.compareAndSet(this, false, true)) {
            cell.bound.states.giveBack(cell, readings.marks(), charged);
        }
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

        Readings(int limits) {
            numbers = new long[4 * limits];
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

        long[] marks() {
            long[] marks = new long[numbers.length / 4];
            for (int i = 0; i < marks.length; i++) {
                marks[i] = numbers[4 * i + 3];
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
