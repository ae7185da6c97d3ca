package dev.limiter.memory;

import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.NumberState;
import dev.limiter.TimeSource;
import org.jspecify.annotations.Nullable;

/** A cell whose state is one number: the word itself. A refusal only reads. */
final class NumberCell extends Cell {

    private final NumberLimit limit;

    NumberCell(BoundRule bound, NumberLimit limit, String key, long value, @Nullable Cell predecessor) {
        super(bound, key, value, predecessor);
        this.limit = limit;
    }

    NumberLimit limit() {
        return limit;
    }

    @Override
    @Nullable
    Decision decide(long permits, long before, TimeSource clock) {
        long now = before;
        while (true) {
            long value = word();
            if (value == DEAD || !limit.covers(now)) {
                return null;
            }
            long next = limit.take(value, now, permits);
            if (next != NumberLimit.REFUSED) {
                if (swap(value, next)) {
                    return decision(true, next, now, permits);
                }
            } else if (limit.settle(value, now) == value) {
                return decision(false, value, now, permits);
            } else {
                now = settle(clock);
            }
        }
    }

    /** Whether the clock stepped back is only known from a reading after that of the word; returns the reading. */
    private long settle(TimeSource clock) {
        long value = word();
        long now = clock.epochNanos();
        if (value != DEAD) {
            settle(value, now);
        }
        return now;
    }

    private Decision decision(boolean permitted, long value, long now, long permits) {
        return permits == 1
                ? new NumberDecision(this, permitted, now, value)
                : new SnapshotDecision(this, permitted, permits, readings(value, permitted ? 0 : permits, now));
    }

    @Override
    @Nullable
    Decision reserve(Terms terms, TimeSource clock) {
        while (true) {
            long value = word();
            long now = clock.epochNanos();
            if (value == DEAD || !limit.covers(now)) {
                return null;
            }
            value = settle(value, now);
            if (limit.admissionNanos(value, now, terms.needed(limit), terms.maxWait()) > 0) {
                return new SnapshotDecision(this, false, 0, readings(value, terms, now));
            }
            long own = limit.waitNanos(value, now, terms.needed(limit));
            long wait = Math.max(own, terms.imposed());
            long next = limit.reserve(value, now, wait, terms.permits());
            if (next == NumberLimit.REFUSED) {
                return new SnapshotDecision(this, false, 0, readings(value, Terms.plain(limit.capacity()), now));
            }
            if (swap(value, next)) {
                return reserved(terms, next, now, wait, wait > own);
            }
        }
    }

    /** {@code imposed}: the wait is not the limit's own. */
    private Decision reserved(Terms terms, long next, long now, long wait, boolean imposed) {
        long permits = terms.permits();
        if (wait == 0) {
            return decision(true, next, now, permits);
        }
        SnapshotDecision.Readings readings = readings(next, 0, now);
        readings.delayNanos(wait);
        long atLeast = imposed || !moves(permits) ? now + wait : Long.MIN_VALUE;
        return new ReservedDecision(this, permits, terms.kept(limit), readings, next, atLeast);
    }

    /** Whether those behind move up when so many permits are returned before their turn. */
    boolean moves(long permits) {
        return limit.turn(0, permits, 0, Long.MIN_VALUE) != Long.MIN_VALUE;
    }

    /**
     * See {@link NumberLimit#moveUp}; returns by how much. The state of a dead cell stays: its successor goes on from what
     * it is.
     */
    long moveUp(long taken, long now, long permits) {
        long units = taken - limit.moveUp(taken, taken, now, permits);
        for (long value = word(); value != DEAD; value = word()) {
            if (swap(value, value - units)) {
                break;
            }
        }
        return units;
    }

    static long resetNanos(long freshAt, long now) {
        return freshAt == CompiledLimit.NOT_BY_TIME ? Decision.UNKNOWN : Math.max(freshAt, now) - now;
    }

    private SnapshotDecision.Readings readings(long value, long permits, long now) {
        return readings(value, Terms.plain(permits), now);
    }

    private SnapshotDecision.Readings readings(long value, Terms terms, long now) {
        SnapshotDecision.Readings readings = new SnapshotDecision.Readings(1);
        readings.remaining(0, Math.max(limit.remaining(value, now) - terms.kept(limit), 0));
        readings.waitNanos(
                0, terms.permits() == 0 ? 0 : limit.admissionNanos(value, now, terms.needed(limit), terms.maxWait()));
        readings.resetNanos(0, resetNanos(limit.freshAt(value), now));
        readings.mark(0, value);
        return readings;
    }

    @Override
    @Nullable
    Decision peek(Terms terms, TimeSource clock) {
        long value = word();
        long now = clock.epochNanos();
        if (value == DEAD || !limit.covers(now)) {
            return null;
        }
        value = settle(value, now);
        SnapshotDecision.Readings readings = readings(value, terms, now);
        boolean permitted = readings.waitNanos(0) == 0;
        boolean waits = permitted && terms.permits() > 0;
        readings.delayNanos(waits ? limit.waitNanos(value, now, terms.needed(limit)) : 0);
        return new SnapshotDecision(this, permitted, 0, readings);
    }

    @Override
    @Nullable
    Decision peekUnder(BoundRule next, Terms terms, TimeSource clock) {
        long value = word();
        long now = clock.epochNanos();
        if (value == DEAD || !limit.covers(now)) {
            return null;
        }
        LimitState[] used = {new NumberState(limit, settle(value, now))};
        return bound.answerUnder(next, key, used, terms, now);
    }

    /** Keeps what the state is after a step back, or whoever only asks would be refused until the clock is back. */
    private long settle(long value, long now) {
        long settled = limit.settle(value, now);
        if (settled != value) {
            // if somebody else was faster, the answer is as of before
            swap(value, settled);
        }
        return settled;
    }

    @Override
    boolean giveBack(BoundRule takenUnder, long[] marks, long permits, TimeSource clock) {
        while (true) {
            long value = word();
            if (value == DEAD) {
                return false;
            }
            long now = clock.epochNanos();
            long next = limit.giveBack(value, takenUnder.markUnder(bound, 0, marks, now), now, permits);
            if (next == value || swap(value, next)) {
                return true;
            }
        }
    }

    @Override
    boolean die(long word) {
        return word != DEAD && swap(word, DEAD);
    }

    @Override
    LimitState @Nullable [] kill() {
        for (long value = word(); value != DEAD; value = word()) {
            if (swap(value, DEAD)) {
                return new LimitState[] {new NumberState(limit, value)};
            }
        }
        return null;
    }

    @Override
    long freshAt(long word) {
        return word == DEAD ? Long.MIN_VALUE : limit.freshAt(word);
    }

    @Override
    long freeAt(long word, long now) {
        return word == DEAD
                ? now
                : now + Math.min(limit.waitNanos(limit.settle(word, now), now, 1), Long.MAX_VALUE - now);
    }
}
