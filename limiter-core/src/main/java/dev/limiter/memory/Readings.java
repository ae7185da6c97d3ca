package dev.limiter.memory;

import dev.limiter.spi.SingleNumberLimit;
import org.jspecify.annotations.Nullable;

/** The values of each limit at the time of a decision. Written by the deciding cell, not changed afterwards. */
class Readings {

    /** Four per limit. */
    private final long[] numbers;

    private final PermitReturn.@Nullable OwnCosts own;
    private long delayNanos;

    Readings(int limits) {
        this(limits, null);
    }

    /** Creates readings; {@code own} contains the permits per limit, or is null if they are all the same. */
    Readings(int limits, PermitReturn.@Nullable OwnCosts own) {
        this(new long[4 * limits], own);
    }

    private Readings(long[] numbers, PermitReturn.@Nullable OwnCosts own) {
        this.numbers = numbers;
        this.own = own;
    }

    PermitReturn.@Nullable OwnCosts own() {
        return own;
    }

    /** Returns how long the request waits for its turn, in nanoseconds; 0 if it may proceed at once. */
    long delayNanos() {
        return delayNanos;
    }

    void delayNanos(long nanos) {
        delayNanos = nanos;
    }

    long remaining(int limit) {
        return numbers[4 * limit];
    }

    void remaining(int limit, long permits) {
        numbers[4 * limit] = permits;
    }

    long waitNanos(int limit) {
        return numbers[4 * limit + 1];
    }

    void waitNanos(int limit, long nanos) {
        numbers[4 * limit + 1] = nanos;
    }

    long resetNanos(int limit) {
        return numbers[4 * limit + 2];
    }

    void resetNanos(int limit, long nanos) {
        numbers[4 * limit + 2] = nanos;
    }

    /** Returns the state right after the permits were taken. */
    long mark(int limit) {
        return numbers[4 * limit + 3];
    }

    void mark(int limit, long mark) {
        numbers[4 * limit + 3] = mark;
    }

    /** Stores only the marks, and computes the other values on demand. */
    static final class OfNumbers extends Readings {

        private final SingleNumberLimit[] limits;
        private final long[] marks;
        private final long now;

        /** The permits that were requested and rejected. */
        private long rejected;

        OfNumbers(SingleNumberLimit[] limits, long now) {
            this(limits, new long[limits.length], now);
        }

        private OfNumbers(SingleNumberLimit[] limits, long[] marks, long now) {
            super(marks, null);
            this.limits = limits;
            this.marks = marks;
            this.now = now;
        }

        long now() {
            return now;
        }

        void reject(long permits) {
            rejected = permits;
        }

        @Override
        long remaining(int limit) {
            return limits[limit].remaining(marks[limit], now);
        }

        @Override
        long waitNanos(int limit) {
            return rejected == 0 ? 0 : limits[limit].waitNanos(marks[limit], now, rejected);
        }

        @Override
        long resetNanos(int limit) {
            return NumberCell.resetNanos(limits[limit].freshAt(marks[limit]), now);
        }

        @Override
        long mark(int limit) {
            return marks[limit];
        }

        @Override
        void mark(int limit, long mark) {
            marks[limit] = mark;
        }
    }
}
