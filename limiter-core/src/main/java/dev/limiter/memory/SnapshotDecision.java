package dev.limiter.memory;

import org.jspecify.annotations.Nullable;

/** A decision with the numbers of each limit, read when it was decided. */
class SnapshotDecision extends GeneralDecision {

    private final Readings readings;

    SnapshotDecision(Cell cell, boolean permitted, long permits, Readings readings, long now, long returnedBefore) {
        super(cell, permitted, permits, now, returnedBefore);
        this.readings = readings;
    }

    /** A decision by which nothing was taken. */
    static SnapshotDecision of(Cell cell, boolean permitted, Readings readings) {
        return new SnapshotDecision(cell, permitted, 0, readings, 0, 0);
    }

    @Override
    protected long delayNanos() {
        return readings.delayNanos();
    }

    @Override
    long[] marks() {
        return readings.marks();
    }

    @Override
    PermitReturn.@Nullable OwnCosts own() {
        return readings.own();
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

    /** The numbers of each limit: four each, in one array. */
    static class Readings {

        private final long[] numbers;
        private long delayNanos;

        Readings(int limits) {
            numbers = new long[4 * limits];
        }

        PermitReturn.@Nullable OwnCosts own() {
            return null;
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

    /** Readings of a charge that takes different numbers of permits of its limits. */
    static final class OwnReadings extends Readings {

        private final PermitReturn.OwnCosts own;

        OwnReadings(PermitReturn.OwnCosts own) {
            super(own.permits().length);
            this.own = own;
        }

        @Override
        PermitReturn.OwnCosts own() {
            return own;
        }
    }
}
