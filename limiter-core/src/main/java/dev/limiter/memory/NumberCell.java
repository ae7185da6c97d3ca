package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import org.jspecify.annotations.Nullable;

/** A cell with a single number as its state, stored in the word. A rejection only reads. */
final class NumberCell extends Cell {

    NumberCell(BoundRule bound, String key, NumberState state, @Nullable Cell predecessor) {
        super(bound, key, state.value(), predecessor);
        if (state.longestWait() > longestWait()) {
            history().waiting(state.longestWait());
        }
    }

    @SuppressWarnings("NullAway") // set for every rule that has such cells
    SingleNumberLimit limit() {
        return bound.number;
    }

    @Override
    @Nullable
    Decision decide(long permits, long before, TimeSource clock) {
        SingleNumberLimit limit = limit();
        long now = before;
        boolean late = false;
        while (true) {
            long returned = returned();
            long value = word();
            if (value == DEAD || !limit.covers(now)) {
                return null;
            }
            long next = limit.take(value, now, permits);
            if (next != SingleNumberLimit.REJECTED) {
                if (swap(value, next)) {
                    return decision(true, next, now, permits, returned);
                }
            } else if (!late) {
                // the permits may have been taken by requests that read the clock after this one
                now = clock.epochNanos();
                late = true;
            } else if (limit.settle(value, now, longestWait()) == value) {
                return decision(false, value, now, permits, returned);
            } else {
                now = settle(clock);
            }
        }
    }

    /** Takes one permit, and returns whether it could; null in the same cases as {@link #decide}. */
    @Nullable
    Boolean take(long before, TimeSource clock) {
        SingleNumberLimit limit = limit();
        long now = before;
        boolean late = false;
        while (true) {
            long value = word();
            if (value == DEAD || !limit.covers(now)) {
                return null;
            }
            long next = limit.take(value, now, 1);
            if (next != SingleNumberLimit.REJECTED) {
                if (swap(value, next)) {
                    return true;
                }
            } else if (!late) {
                now = clock.epochNanos();
                late = true;
            } else if (limit.settle(value, now, longestWait()) == value) {
                return false;
            } else {
                now = settle(clock);
            }
        }
    }

    /**
     * Handles a possible step back of the clock, which only a reading after that of the word can show. Returns the
     * reading.
     */
    private long settle(TimeSource clock) {
        long value = word();
        long now = clock.epochNanos();
        if (value != DEAD) {
            settle(value, now);
        }
        return now;
    }

    private Decision decision(boolean permitted, long value, long now, long permits, long returned) {
        if (permits == 1 && returned == 0) {
            return new NumberDecision(this, permitted, now, value);
        }
        Readings readings = readings(value, ChargeTerms.plain(permitted ? 0 : permits), now);
        return permitted
                ? SnapshotDecision.taken(this, readings, permits, now, returned)
                : SnapshotDecision.of(this, false, readings);
    }

    @Override
    @Nullable
    Decision reserve(ChargeTerms terms, TimeSource clock) {
        SingleNumberLimit limit = limit();
        while (true) {
            long returned = returned();
            long value = word();
            long now = clock.epochNanos();
            if (value == DEAD || !limit.covers(now)) {
                return null;
            }
            value = settle(value, now);
            if (limit.admissionNanos(value, now, terms.needed(0, limit), terms.maxWait()) > 0) {
                return SnapshotDecision.of(this, false, readings(value, terms, now));
            }
            long wait = limit.waitNanos(value, now, terms.needed(0, limit));
            long next = limit.reserve(value, now, wait, terms.permits());
            if (next == SingleNumberLimit.REJECTED) {
                long whole = limit.admissionNanos(value, now, limit.capacity(), 0);
                return SnapshotDecision.of(this, false, readings(value, terms.kept(limit), whole, now));
            }
            if (wait > 0) {
                history().waiting(wait);
            }
            if (swap(value, next)) {
                return wait == 0 ? taken(terms, next, now, returned) : reserved(terms, next, now, wait, returned);
            }
        }
    }

    /** Returns the decision; {@code next} is the state right after the permits were taken. */
    private Decision taken(ChargeTerms terms, long next, long now, long returned) {
        long kept = terms.kept(limit());
        return kept == 0
                ? decision(true, next, now, terms.permits(), returned)
                : SnapshotDecision.taken(this, readings(next, kept, 0, now), terms.permits(), now, returned);
    }

    private Decision reserved(ChargeTerms terms, long next, long now, long wait, long returned) {
        Readings readings = readings(next, terms.kept(limit()), 0, now);
        readings.delayNanos(wait);
        return SnapshotDecision.taken(this, readings, terms.permits(), now, returned);
    }

    static long resetNanos(long freshAt, long now) {
        return freshAt == CompiledLimit.NOT_BY_TIME ? CompiledLimit.UNKNOWN : Math.max(freshAt, now) - now;
    }

    private Readings readings(long value, ChargeTerms terms, long now) {
        SingleNumberLimit limit = limit();
        long wait =
                terms.permits() == 0 ? 0 : limit.admissionNanos(value, now, terms.needed(0, limit), terms.maxWait());
        return readings(value, terms.kept(limit), wait, now);
    }

    private Readings readings(long value, long kept, long wait, long now) {
        SingleNumberLimit limit = limit();
        Readings readings = new Readings(1);
        readings.remaining(0, Math.max(limit.remaining(value, now) - kept, 0));
        readings.waitNanos(0, wait);
        readings.resetNanos(0, resetNanos(limit.freshAt(value), now));
        readings.mark(0, value);
        return readings;
    }

    @Override
    @Nullable
    Decision peek(ChargeTerms terms, TimeSource clock) {
        SingleNumberLimit limit = limit();
        long value = word();
        long now = clock.epochNanos();
        if (value == DEAD || !limit.covers(now)) {
            return null;
        }
        value = settle(value, now);
        Readings readings = readings(value, terms, now);
        boolean permitted = readings.waitNanos(0) == 0;
        boolean waits = permitted && terms.permits() > 0;
        readings.delayNanos(waits ? limit.waitNanos(value, now, terms.needed(0, limit)) : 0);
        return SnapshotDecision.of(this, permitted, readings);
    }

    @Override
    @Nullable
    Decision peekUnder(BoundRule next, ChargeTerms terms, TimeSource clock) {
        long value = word();
        long now = clock.epochNanos();
        if (value == DEAD || !limit().covers(now)) {
            return null;
        }
        LimitState[] used = {new NumberState(limit(), settle(value, now), longestWait())};
        return bound.peekUnder(next, key, used, terms, now);
    }

    /** Stores the settled state. Otherwise requests that only peek would be rejected until the clock has caught up. */
    private long settle(long value, long now) {
        long settled = limit().settle(value, now, longestWait());
        if (settled != value && swap(value, settled)) {
            bound.cells.relaxed(this);
        }
        return settled;
    }

    @Override
    boolean giveBack(PermitReturn returned, TimeSource clock) {
        while (true) {
            long value = word();
            if (value == DEAD) {
                return false;
            }
            long now = clock.epochNanos();
            long next = limit().giveBack(value, returned.of(this, 0, now), now);
            if (next == value) {
                return true;
            }
            // recorded before each swap: a request that sees the state before the swap does not count a return that
            // moves its mark
            returning(returned);
            if (swap(value, next)) {
                return true;
            }
        }
    }

    @Override
    boolean die(long word) {
        return word != DEAD && swap(word, DEAD);
    }

    @Override
    boolean kill() {
        for (long value = word(); value != DEAD; value = word()) {
            if (swap(value, DEAD)) {
                return true;
            }
        }
        return false;
    }

    @Override
    @Nullable
    Cell succeed(BoundRule wanted, TimeSource clock) {
        for (long value = word(); value != DEAD; value = word()) {
            LimitState[] used = {new NumberState(limit(), value, longestWait())};
            // created before this cell dies, so that nothing is lost if that fails
            Cell successor = successor(wanted, used, clock.epochNanos());
            if (swap(value, DEAD)) {
                return successor;
            }
        }
        return null;
    }

    @Override
    long freshAt(long word) {
        return word == DEAD ? Long.MIN_VALUE : limit().freshAt(word);
    }

    @Override
    long freeAt(long word, long now) {
        return word == DEAD ? now : freeAt(limit(), word, now, longestWait());
    }

    static long freeAt(SingleNumberLimit limit, long value, long now, long longestWait) {
        return now + Math.min(limit.waitNanos(limit.settle(value, now, longestWait), now, 1), Long.MAX_VALUE - now);
    }

    @Override
    double usedShare(long word, long now) {
        return word == DEAD ? 0 : usedShare(limit(), limit().remaining(word, now));
    }

    static double usedShare(CompiledLimit limit, long remaining) {
        return 1 - (double) remaining / limit.atOnce();
    }
}
