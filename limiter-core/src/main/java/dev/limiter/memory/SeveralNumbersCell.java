package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import org.jspecify.annotations.Nullable;

/**
 * A cell with several numbers as its state. The next values are computed without the lock, which is taken only if the
 * version is unchanged, and only to store them. A rejection only reads.
 */
final class SeveralNumbersCell extends VersionedCell {

    private final SingleNumberLimit[] limits;
    private final long[] values;

    SeveralNumbersCell(
            BoundRule bound, SingleNumberLimit[] limits, String key, LimitState[] states, @Nullable Cell predecessor) {
        super(bound, key, predecessor);
        this.limits = limits;
        this.values = new long[limits.length];
        store(states, 0);
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
    Decision decide(long permits, long before, TimeSource clock) {
        Readings.OfNumbers readings = new Readings.OfNumbers(limits, before);
        boolean late = false;
        for (int spins = 0; ; spins++) {
            long now = readings.now();
            long returned = returned();
            long version = word();
            if (version == DEAD || !bound.covers(now)) {
                return null;
            }
            if (take(readings, now, permits)) {
                if (store(readings, version)) {
                    return SnapshotDecision.taken(this, readings, permits, now, returned);
                }
            } else if (!late) {
                // the permits may have been taken by requests that read the clock after this one
                readings = new Readings.OfNumbers(limits, clock.epochNanos());
                late = true;
                continue;
            } else if (copy(readings, version)) {
                if (!isSettled(readings, now)) {
                    // only a reading after that of the word shows whether the clock stepped back
                    return reserve(ChargeTerms.plain(permits), clock);
                }
                readings.reject(permits);
                return SnapshotDecision.of(this, false, readings);
            }
            pause(spins);
        }
    }

    /**
     * Returns whether all limits permit; the marks are then the next values, valid if no other thread changes the cell.
     */
    private boolean take(Readings readings, long now, long permits) {
        for (int i = 0; i < values.length; i++) {
            long next = limits[i].take(values[i], now, permits);
            if (next == SingleNumberLimit.REJECTED) {
                return false;
            }
            readings.mark(i, next);
        }
        return true;
    }

    private boolean store(Readings readings, long version) {
        if (!lock(version)) {
            return false;
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = readings.mark(i);
        }
        release(version + 2);
        return true;
    }

    /** Copies the values to the marks; returns whether they are consistent. */
    private boolean copy(Readings readings, long version) {
        for (int i = 0; i < values.length; i++) {
            readings.mark(i, values[i]);
        }
        return unchanged(version);
    }

    private boolean isSettled(Readings readings, long now) {
        for (int i = 0; i < values.length; i++) {
            if (limits[i].settle(readings.mark(i), now, longestWait()) != readings.mark(i)) {
                return false;
            }
        }
        return true;
    }

    // Eviction reads the word before the values and swaps it afterwards, which fails if another thread changed them.

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
