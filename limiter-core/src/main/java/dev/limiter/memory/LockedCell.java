package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.spi.LimitState;
import org.jspecify.annotations.Nullable;

/**
 * A cell with a state that is more than numbers and changes under the lock. Eviction does not lock it, but reads the times
 * that the last holder recorded.
 */
final class LockedCell extends VersionedCell {

    private final LimitState[] states;

    /** The first state; saves cells with a single state a dependent load. */
    private final LimitState only;

    /** When nothing counts any longer; written by the last holder. */
    private long freshAt = Long.MIN_VALUE;

    /** Until when even one permit is rejected; written by the last holder. */
    private long freeAt = Long.MIN_VALUE;

    LockedCell(BoundRule bound, String key, LimitState[] states, @Nullable Cell predecessor) {
        super(bound, key, predecessor);
        this.states = states;
        this.only = states[0];
    }

    @Override
    LimitState[] states() {
        return states;
    }

    @Override
    void store(LimitState[] changed, long now) {
        if (bound.covers(now)) {
            note(now);
        }
    }

    @Override
    @Nullable
    Decision decide(long permits, long unused, TimeSource clock) {
        boolean one = permits == 1 && bound.window != null;
        if (one) {
            Decision rejection = rejectUnlocked(clock);
            if (rejection != null) {
                return rejection;
            }
        }
        long version = lock();
        if (version == DEAD) {
            return null;
        }
        try {
            long now = clock.epochNanos();
            if (!bound.covers(now)) {
                return null;
            }
            return one ? decideOne(now) : decideAll(permits, now);
        } finally {
            release(version + 2);
        }
    }

    /** Returns a rejection that follows from the times of the last holder, or null. */
    private @Nullable Decision rejectUnlocked(TimeSource clock) {
        long version = word();
        long free = freeAt;
        long fresh = freshAt;
        if (free == Long.MIN_VALUE || !unchanged(version)) {
            return null;
        }
        long now = clock.epochNanos();
        // after a step back of the clock, "fresh" lies beyond the window, and the states have to handle that
        return now < free && fresh - now <= bound.longestReset()
                ? SlidingWindowDecision.rejected(this, free - now, fresh - now)
                : null;
    }

    private Decision decideOne(long now) {
        long wait = only.waitNanos(now, 1);
        if (wait > 0) {
            note(now);
            return SlidingWindowDecision.rejected(this, wait, freshAt - now);
        }
        long mark = only.take(now, 1);
        long remaining = only.remaining(now);
        freshAt = only.freshAt(now);
        freeAt = remaining > 0 ? Long.MIN_VALUE : now + only.waitNanos(now, 1);
        return SlidingWindowDecision.permitted(this, mark, remaining);
    }

    private Decision decideAll(long permits, long now) {
        Readings readings = new Readings(states.length);
        boolean permitted = true;
        for (int i = 0; i < states.length; i++) {
            readings.waitNanos(i, states[i].waitNanos(now, permits));
            permitted &= readings.waitNanos(i) == 0;
        }
        for (int i = 0; permitted && i < states.length; i++) {
            readings.mark(i, states[i].take(now, permits));
        }
        read(states, readings, now);
        note(readings, now);
        return permitted
                ? SnapshotDecision.taken(this, readings, permits, now, returned())
                : SnapshotDecision.of(this, false, readings);
    }

    /** Records when this cell is fresh and when it is free, for readers without the lock. */
    private void note(Readings readings, long now) {
        long fresh = Long.MIN_VALUE;
        long free = Long.MIN_VALUE;
        for (int i = 0; i < states.length; i++) {
            fresh = Math.max(fresh, now + Math.min(readings.resetNanos(i), Long.MAX_VALUE - now));
            if (readings.remaining(i) == 0) {
                free = Math.max(free, now + Math.min(states[i].waitNanos(now, 1), Long.MAX_VALUE - now));
            }
        }
        freshAt = fresh;
        freeAt = free;
    }

    @Override
    void note(long now) {
        Readings readings = new Readings(states.length);
        read(states, readings, now);
        note(readings, now);
    }

    @Override
    long freshAt(long word) {
        return freshAt;
    }

    @Override
    long freeAt(long word, long now) {
        return freeAt;
    }

    /** Locks, because the remaining permits are computed; keeps the version, because the state does not change. */
    @Override
    double usedShare(long word, long now) {
        if (!lock(word)) {
            // another thread is using it
            return 1;
        }
        try {
            double share = 0;
            for (int i = 0; i < states.length && bound.covers(now); i++) {
                share = Math.max(share, NumberCell.usedShare(bound.limit(i), states[i].remaining(now)));
            }
            return share;
        } finally {
            release(word);
        }
    }
}
