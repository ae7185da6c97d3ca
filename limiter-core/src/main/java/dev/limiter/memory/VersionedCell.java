package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A cell with more than one number as its state, behind a lock. The word is a version, which is odd while locked. Critical
 * sections take some tens of nanoseconds and call nothing that blocks, so waiting threads spin, then yield. A read
 * without the lock is valid if the version is even and unchanged afterwards. The cell dies by a compare-and-set on the
 * version.
 */
abstract class VersionedCell extends Cell {

    private static final int SPINS = 64;

    VersionedCell(BoundRule bound, String key, @Nullable Cell predecessor) {
        super(bound, key, 0, predecessor);
    }

    /** Returns the state of each limit; requires the lock. */
    abstract LimitState[] states();

    /** Stores changed states; requires the lock. */
    abstract void store(LimitState[] states, long now);

    @Override
    @Nullable
    Decision reserve(ChargeTerms terms, TimeSource clock) {
        return locked(clock, (states, now) -> {
            Readings readings = new Readings(bound.size(), own(terms));
            long returned = returned();
            boolean permitted = admits(states, readings, terms, now);
            long wait = readings.delayNanos();
            permitted = permitted && reserve(states, readings, terms, wait, now);
            read(states, readings, now);
            keep(readings, terms);
            return permitted
                    ? SnapshotDecision.taken(this, readings, terms.permits(), now, returned)
                    : SnapshotDecision.of(this, false, readings);
        });
    }

    private PermitReturn.@Nullable OwnCosts own(ChargeTerms terms) {
        return terms.costs() == null ? null : new PermitReturn.OwnCosts(terms.costs(), returnedOfEach());
    }

    /**
     * Takes all or none: one limit may have no turn as late as another one requires. The rejection lasts at most until
     * that wait is over.
     */
    private boolean reserve(LimitState[] states, Readings readings, ChargeTerms terms, long wait, long now) {
        for (int i = 0; i < states.length; i++) {
            long permits = terms.permits(i);
            readings.mark(i, permits == 0 ? SingleNumberLimit.NOTHING : states[i].reserve(now, wait, permits));
            if (permits > 0 && readings.mark(i) == SingleNumberLimit.NOTHING) {
                for (int taken = 0; taken < i; taken++) {
                    giveBack(states[taken], readings.mark(taken), now, terms.permits(taken));
                }
                long whole = states[i].waitNanos(now, bound.limit(i).capacity());
                readings.waitNanos(i, Math.max(Math.max(whole, wait), 1));
                readings.delayNanos(0);
                return false;
            }
        }
        return true;
    }

    private static void giveBack(LimitState state, long mark, long now, long permits) {
        if (permits > 0) {
            state.giveBack(new TakenPermits(mark, now, 0, permits), now);
        }
    }

    @Override
    @Nullable
    Decision peek(ChargeTerms terms, TimeSource clock) {
        return locked(clock, (states, now) -> {
            Readings readings = new Readings(states.length);
            boolean permitted = admits(states, readings, terms, now);
            read(states, readings, now);
            keep(readings, terms);
            return SnapshotDecision.of(this, permitted, readings);
        });
    }

    /** Returns whether all limits admit the request, and records the wait in the readings. */
    private boolean admits(LimitState[] states, Readings readings, ChargeTerms terms, long now) {
        boolean permitted = true;
        long maxWait = bound.maxWait(terms);
        long delay = 0;
        for (int i = 0; i < states.length; i++) {
            // a charge of zero skips a lowered limit, which would still report a wait
            if (terms.permits(i) > 0) {
                long needed = terms.needed(i, bound.limit(i));
                long admission = states[i].admissionNanos(now, needed, maxWait);
                readings.waitNanos(i, admission);
                permitted &= admission == 0;
                delay = permitted ? Math.max(delay, states[i].waitNanos(now, needed)) : 0;
            }
        }
        readings.delayNanos(permitted ? delay : 0);
        return permitted;
    }

    private void keep(Readings readings, ChargeTerms terms) {
        for (int i = 0; i < bound.size(); i++) {
            readings.remaining(i, Math.max(readings.remaining(i) - terms.kept(bound.limit(i)), 0));
        }
    }

    static void read(LimitState[] states, Readings readings, long now) {
        for (int i = 0; i < states.length; i++) {
            readings.remaining(i, states[i].remaining(now));
            readings.resetNanos(i, NumberCell.resetNanos(states[i].freshAt(now), now));
        }
    }

    @Override
    @Nullable
    Decision peekUnder(BoundRule next, ChargeTerms terms, TimeSource clock) {
        return locked(clock, (states, now) -> bound.peekUnder(next, key, states, terms, now));
    }

    /**
     * Runs an action with the lock held; returns null if the cell is dead, or its arithmetic does not cover the time.
     */
    private @Nullable Decision locked(TimeSource clock, Action action) {
        long version = lock();
        if (version == DEAD) {
            return null;
        }
        try {
            long now = clock.epochNanos();
            if (!bound.covers(now)) {
                return null;
            }
            LimitState[] states = states();
            Decision decision = action.decide(states, now);
            // even if nothing was taken, the states may have moved back with the clock
            store(states, now);
            return decision;
        } finally {
            release(version + 2);
        }
    }

    /** An action that runs with the lock held. */
    private interface Action {

        Decision decide(LimitState[] states, long now);
    }

    @Override
    boolean giveBack(PermitReturn returned, TimeSource clock) {
        long version = lock();
        if (version == DEAD) {
            return false;
        }
        try {
            long now = clock.epochNanos();
            LimitState[] states = states();
            TakenPermits[] taken = new TakenPermits[states.length];
            for (int i = 0; i < states.length; i++) {
                taken[i] = returned.of(this, i, now);
                states[i].giveBack(taken[i], now);
            }
            returning(returned);
            count(returned, taken);
            store(states, now);
            return true;
        } finally {
            release(version + 2);
        }
    }

    /** Records the permits that were returned to each limit. */
    private void count(PermitReturn returned, TakenPermits[] taken) {
        if (returned.moves() > 0) {
            long[] each = history().returnedOfEach(bound);
            for (int i = 0; i < each.length; i++) {
                each[i] += taken[i].mark() == SingleNumberLimit.NOTHING ? 0 : taken[i].permits();
            }
        }
    }

    @Override
    boolean die(long word) {
        return (word & 1) == 0 && word != DEAD && swap(word, DEAD);
    }

    @Override
    boolean kill() {
        if (lock() == DEAD) {
            return false;
        }
        release(DEAD);
        return true;
    }

    @Override
    @Nullable
    Cell succeed(BoundRule wanted, TimeSource clock) {
        long version = lock();
        if (version == DEAD) {
            return null;
        }
        // created before this cell dies, so that nothing is lost if that fails
        long after = version + 2;
        try {
            Cell successor = successor(wanted, states(), clock.epochNanos());
            after = DEAD;
            return successor;
        } finally {
            release(after);
        }
    }

    /** Locks, and returns the version before; returns DEAD without locking if the cell is dead. */
    final long lock() {
        for (int spins = 0; ; spins++) {
            long version = word();
            if (version == DEAD || lock(version)) {
                return version;
            }
            pause(spins);
        }
    }

    /** Locks if the lock is free and the version is unchanged; returns whether it did. */
    final boolean lock(long version) {
        boolean locked = (version & 1) == 0 && swap(version, version + 1);
        // or later stores could become visible before the version that marks them as invalid
        VarHandle.storeStoreFence();
        return locked;
    }

    static void pause(int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    /** Returns whether values read since {@code version} was read are a consistent state. */
    final boolean unchanged(long version) {
        VarHandle.loadLoadFence();
        return (version & 1) == 0 && version == word();
    }
}
