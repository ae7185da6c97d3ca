package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.Rule;
import java.util.concurrent.atomic.AtomicBoolean;

/** Any other decision: several limits, another number of permits than one, or none charged. */
final class SnapshotDecision extends Decision {

    private final Cell cell;
    private final boolean permitted;
    private final long charged;
    private final Readings readings;
    private final AtomicBoolean returned = new AtomicBoolean();

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
        if (charged > 0 && returned.compareAndSet(false, true)) {
            cell.bound.states.giveBack(cell, readings.marks, charged);
        }
    }

    @Override
    protected long remaining(int limit) {
        return readings.remaining[limit];
    }

    @Override
    protected long waitNanos(int limit) {
        return readings.wait[limit];
    }

    @Override
    protected long resetNanos(int limit) {
        return readings.reset[limit];
    }

    /** What each limit said. */
    static final class Readings {

        private final long[] remaining;
        private final long[] wait;
        private final long[] reset;
        private final long[] marks;

        Readings(int limits) {
            remaining = new long[limits];
            wait = new long[limits];
            reset = new long[limits];
            marks = new long[limits];
        }

        void remaining(int limit, long permits) {
            remaining[limit] = permits;
        }

        void wait(int limit, long nanos) {
            wait[limit] = nanos;
        }

        void reset(int limit, long nanos) {
            reset[limit] = nanos;
        }

        void mark(int limit, long mark) {
            marks[limit] = mark;
        }
    }
}
