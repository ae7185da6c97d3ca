package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.NumberState;
import dev.limiter.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * A cell whose state is several numbers. The next ones are computed before the lock is taken, which is had only if the
 * version is still the same, and held for no longer than it takes to store them. A refusal only reads.
 */
final class NumbersCell extends VersionedCell {

    private final NumberLimit[] limits;
    private final long[] values;

    NumbersCell(BoundRule bound, NumberLimit[] limits, String key, LimitState[] states, @Nullable Cell predecessor) {
        super(bound, key, predecessor);
        this.limits = limits;
        this.values = new long[limits.length];
        store(states, 0);
    }

    NumberLimit limit(int index) {
        return limits[index];
    }

    @Override
    LimitState[] states() {
        LimitState[] states = new LimitState[limits.length];
        for (int i = 0; i < states.length; i++) {
            states[i] = new NumberState(limits[i], values[i], longestWait());
        }
        return states;
    }

    @Override
    void store(LimitState[] states, long now) {
        for (int i = 0; i < values.length; i++) {
            NumberState state = (NumberState) states[i];
            values[i] = state.value();
            if (state.longestWait() > longestWait()) {
                history().waiting(state.longestWait());
            }
        }
    }

    @Override
    @Nullable
    Decision decide(long permits, long now, TimeSource clock) {
        long[] numbers = new long[values.length];
        for (int spins = 0; ; spins++) {
            long returned = returned();
            long version = word();
            if (version == DEAD || !bound.covers(now)) {
                return null;
            }
            if (take(numbers, now, permits)) {
                if (store(numbers, version)) {
                    return new NumbersDecision(this, true, permits, now, numbers, returned);
                }
            } else if (read(numbers, version)) {
                return settled(numbers, now)
                        ? new NumbersDecision(this, false, permits, now, numbers, returned)
                        // whether the clock stepped back is known with a reading after that of the word
                        : reserve(ChargeTerms.plain(permits), clock);
            }
            pause(spins);
        }
    }

    /** Whether all can be taken; the numbers are then those after it, if no other thread changed the cell meanwhile. */
    private boolean take(long[] numbers, long now, long permits) {
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = limits[i].take(values[i], now, permits);
            if (numbers[i] == NumberLimit.REFUSED) {
                return false;
            }
        }
        return true;
    }

    private boolean store(long[] numbers, long version) {
        if (!lock(version)) {
            return false;
        }
        for (int i = 0; i < numbers.length; i++) {
            values[i] = numbers[i];
        }
        release(version + 2);
        return true;
    }

    private boolean read(long[] numbers, long version) {
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = values[i];
        }
        return unchanged(version);
    }

    private boolean settled(long[] numbers, long now) {
        for (int i = 0; i < numbers.length; i++) {
            if (limits[i].settle(numbers[i], now, longestWait()) != numbers[i]) {
                return false;
            }
        }
        return true;
    }

    // The thread that asks when the cell leaves has read the word before, and swaps it afterwards: in vain if the
    // numbers
    // are not all of one version.

    @Override
    long freshAt(long word) {
        long fresh = Long.MIN_VALUE;
        for (int i = 0; i < limits.length; i++) {
            fresh = Math.max(fresh, limits[i].freshAt(values[i]));
        }
        return fresh;
    }

    @Override
    long freeAt(long word, long now) {
        long free = now;
        for (int i = 0; i < limits.length; i++) {
            free = Math.max(free, NumberCell.freeAt(limits[i], values[i], now, longestWait()));
        }
        return free;
    }

    @Override
    double usedShare(long word, long now) {
        double share = 0;
        for (int i = 0; i < limits.length; i++) {
            share = Math.max(share, NumberCell.usedShare(limits[i], limits[i].remaining(values[i], now)));
        }
        return share;
    }
}
