package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.TimeSource;
import java.lang.invoke.VarHandle;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A cell whose state is more than one number, behind a lock: the word is a version, odd while somebody holds it. The
 * sections it guards are some tens of nanoseconds long and call nothing that blocks, so waiting is spinning, then
 * yielding. Whoever only wants to know whether the cell may leave never takes it, but reads what the last holder noted,
 * and dies by a compare-and-set on the version.
 */
final class LockedCell extends Cell {

    private static final int SPINS = 64;

    private final LimitState[] states;

    /** The first of the states, which spares those who have only one a dependent load. */
    private final LimitState only;

    /** When nothing will count any longer; noted by the last holder. */
    private long freshAt = Long.MIN_VALUE;

    /** Until when even one permit is refused; noted by the last holder. */
    private long freeAt = Long.MIN_VALUE;

    LockedCell(BoundRule bound, String key, LimitState[] states, @Nullable Cell predecessor) {
        super(bound, key, 0, predecessor);
        this.states = states;
        this.only = states[0];
    }

    static LockedCell of(BoundRule bound, String key, LimitState[] used, long now, Cell predecessor) {
        LockedCell cell = new LockedCell(bound, key, used, predecessor);
        cell.note(now);
        return cell;
    }

    @Override
    @Nullable
    Decision decide(long permits, long unused, TimeSource clock) {
        boolean one = permits == 1 && bound.window != null;
        if (one) {
            Decision refusal = refuseUnlocked(clock);
            if (refusal != null) {
                return refusal;
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

    /** A refusal that follows from what the last holder noted; null if it does not. */
    private @Nullable Decision refuseUnlocked(TimeSource clock) {
        long version = word();
        long free = freeAt;
        long fresh = freshAt;
        VarHandle.loadLoadFence();
        if (free == Long.MIN_VALUE || (version & 1) != 0 || version != word()) {
            return null;
        }
        long now = clock.epochNanos();
        // a clock that stepped back leaves free behind the window; the states know what to do then
        return now < free && fresh - now <= bound.longestReset()
                ? WindowDecision.refused(this, free - now, fresh - now)
                : null;
    }

    private Decision decideOne(long now) {
        long wait = only.waitNanos(now, 1);
        if (wait > 0) {
            note(now);
            return WindowDecision.refused(this, wait, freshAt - now);
        }
        long mark = only.take(now, 1);
        long remaining = only.remaining(now);
        freshAt = only.freshAt(now);
        freeAt = remaining > 0 ? Long.MIN_VALUE : now + only.waitNanos(now, 1);
        return WindowDecision.permitted(this, mark, remaining);
    }

    private Decision decideAll(long permits, long now) {
        SnapshotDecision.Readings readings = new SnapshotDecision.Readings(states.length);
        boolean permitted = ask(readings, permits, now);
        if (permitted) {
            for (int i = 0; i < states.length; i++) {
                readings.mark(i, states[i].take(now, permits));
            }
        }
        read(readings, now);
        note(readings, now);
        return new SnapshotDecision(this, permitted, permitted ? permits : 0, readings);
    }

    private boolean ask(SnapshotDecision.Readings readings, long permits, long now) {
        boolean permitted = true;
        for (int i = 0; i < states.length; i++) {
            // asked for nothing, a limit that was lowered below what is used would still tell when it has room
            long wait = permits == 0 ? 0 : states[i].waitNanos(now, permits);
            readings.waitNanos(i, wait);
            permitted &= wait == 0;
        }
        return permitted;
    }

    @Override
    @Nullable
    Decision reserve(Terms terms, TimeSource clock) {
        return locked(clock, now -> {
            SnapshotDecision.Readings readings = new SnapshotDecision.Readings(states.length);
            boolean permitted = ask(readings, terms, now);
            long wait = readings.delayNanos();
            permitted = permitted && reserve(readings, terms.permits(), wait, now);
            read(readings, now);
            keep(readings, terms);
            return wait == 0 || !permitted
                    ? new SnapshotDecision(this, permitted, permitted ? terms.permits() : 0, readings)
                    : new ReservedDecision(this, terms.permits(), 0, readings, NumberLimit.NOTHING, now + wait);
        });
    }

    /** All or none: a limit may have no turn so far ahead as another one makes the request wait. */
    private boolean reserve(SnapshotDecision.Readings readings, long permits, long wait, long now) {
        for (int i = 0; i < states.length; i++) {
            readings.mark(i, states[i].reserve(now, wait, permits));
            if (readings.mark(i) == NumberLimit.NOTHING) {
                for (int taken = 0; taken < i; taken++) {
                    states[taken].giveBack(readings.mark(taken), now, permits);
                }
                readings.waitNanos(
                        i, Math.max(states[i].waitNanos(now, bound.limit(i).capacity()), 1));
                return false;
            }
        }
        return true;
    }

    @Override
    @Nullable
    Decision peek(Terms terms, TimeSource clock) {
        return locked(clock, now -> {
            SnapshotDecision.Readings readings = new SnapshotDecision.Readings(states.length);
            boolean permitted = ask(readings, terms, now);
            read(readings, now);
            keep(readings, terms);
            return new SnapshotDecision(this, permitted, 0, readings);
        });
    }

    /** Whether all admit the request; and, in the readings, how long it waits then. */
    private boolean ask(SnapshotDecision.Readings readings, Terms terms, long now) {
        if (terms.permits() == 0) {
            return ask(readings, 0, now);
        }
        boolean permitted = true;
        long delay = terms.imposed();
        for (int i = 0; i < states.length; i++) {
            long admission = states[i].admissionNanos(now, terms.needed(bound.limit(i)), terms.maxWait());
            readings.waitNanos(i, admission);
            permitted &= admission == 0;
            delay = permitted ? Math.max(delay, states[i].waitNanos(now, terms.needed(bound.limit(i)))) : 0;
        }
        readings.delayNanos(permitted ? delay : 0);
        return permitted;
    }

    private void keep(SnapshotDecision.Readings readings, Terms terms) {
        for (int i = 0; i < states.length; i++) {
            readings.remaining(i, Math.max(readings.remaining(i) - terms.kept(bound.limit(i)), 0));
        }
    }

    /** Calls with the lock and the time; null if the cell is dead, or its arithmetic does not reach the time. */
    private <T> @Nullable T locked(TimeSource clock, LongFunction<T> action) {
        long version = lock();
        if (version == DEAD) {
            return null;
        }
        try {
            long now = clock.epochNanos();
            if (!bound.covers(now)) {
                return null;
            }
            T result = action.apply(now);
            // what was noted is void if the states moved back with the clock
            note(now);
            return result;
        } finally {
            release(version + 2);
        }
    }

    private void read(SnapshotDecision.Readings readings, long now) {
        for (int i = 0; i < states.length; i++) {
            readings.remaining(i, states[i].remaining(now));
            readings.resetNanos(i, NumberCell.resetNanos(states[i].freshAt(now), now));
        }
    }

    /** Notes for those who do not take the lock when this cell is fresh and when it is free. */
    private void note(SnapshotDecision.Readings readings, long now) {
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

    private void note(long now) {
        SnapshotDecision.Readings readings = new SnapshotDecision.Readings(states.length);
        read(readings, now);
        note(readings, now);
    }

    @Override
    @Nullable
    Decision peekUnder(BoundRule next, Terms terms, TimeSource clock) {
        return locked(clock, now -> bound.answerUnder(next, key, states, terms, now));
    }

    @Override
    boolean giveBack(BoundRule takenUnder, long[] marks, long permits, TimeSource clock) {
        long version = lock();
        if (version == DEAD) {
            return false;
        }
        try {
            long now = clock.epochNanos();
            for (int i = 0; i < states.length; i++) {
                states[i].giveBack(takenUnder.markUnder(bound, i, marks, now), now, permits);
            }
            if (bound.covers(now)) {
                note(now);
            }
            return true;
        } finally {
            release(version + 2);
        }
    }

    @Override
    boolean die(long word) {
        return (word & 1) == 0 && word != DEAD && swap(word, DEAD);
    }

    @Override
    LimitState @Nullable [] kill() {
        if (lock() == DEAD) {
            return null;
        }
        release(DEAD);
        return states;
    }

    @Override
    long freshAt(long word) {
        return freshAt;
    }

    @Override
    long freeAt(long word, long now) {
        return freeAt;
    }

    /** The version before this holder, or DEAD without holding anything. */
    private long lock() {
        for (int spins = 0; ; spins++) {
            long version = word();
            if (version == DEAD) {
                return DEAD;
            }
            if ((version & 1) == 0 && swap(version, version + 1)) {
                return version;
            }
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }
}
