package dev.limiter.memory;

import dev.limiter.NumberLimit;

/** Permits of limits whose states are numbers: the numbers and the time. All else is worked out when it is read. */
final class NumbersDecision extends GeneralDecision {

    private final long[] numbers;

    /** {@code numbers}: after the permits were taken, or those that refused. */
    NumbersDecision(NumbersCell cell, boolean permitted, long permits, long now, long[] numbers, long returnedBefore) {
        super(cell, permitted, permits, now, returnedBefore);
        this.numbers = numbers;
    }

    private NumberLimit arithmetic(int limit) {
        return ((NumbersCell) cell).limit(limit);
    }

    @Override
    long[] marks() {
        return numbers.clone();
    }

    @Override
    protected long remaining(int limit) {
        return arithmetic(limit).remaining(numbers[limit], now);
    }

    @Override
    protected long waitNanos(int limit) {
        return permitted() ? 0 : arithmetic(limit).waitNanos(numbers[limit], now, permits);
    }

    @Override
    protected long resetNanos(int limit) {
        return NumberCell.resetNanos(arithmetic(limit).freshAt(numbers[limit]), now);
    }
}
