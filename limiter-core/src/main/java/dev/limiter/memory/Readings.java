package dev.limiter.memory;

import org.jspecify.annotations.Nullable;

/** The numbers of each limit at the moment of a decision. Written by the cell that decides, not changed afterwards. */
final class Readings {

    /** Four for each limit. */
    private final long[] numbers;

    private final PermitReturn.@Nullable OwnCosts own;
    private long delayNanos;

    Readings(int limits) {
        this(limits, null);
    }

    /** {@code own}: what is taken of each limit; null if of all alike. */
    Readings(int limits, PermitReturn.@Nullable OwnCosts own) {
        this.numbers = new long[4 * limits];
        this.own = own;
    }

    PermitReturn.@Nullable OwnCosts own() {
        return own;
    }

    /** How long the request waits for its turn; 0 if it may go on at once. */
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

    /** The state right after the permits were taken. */
    long mark(int limit) {
        return numbers[4 * limit + 3];
    }

    void mark(int limit, long mark) {
        numbers[4 * limit + 3] = mark;
    }
}
