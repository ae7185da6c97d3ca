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
    Decision decide(long permits, TimeSource clock) {
        while (true) {
            long value = word();
            long now = clock.epochNanos();
            if (value == DEAD || !limit.covers(now)) {
                return null;
            }
            long next = limit.take(value, now, permits);
            if (next == NumberLimit.REFUSED) {
                long settled = limit.settle(value, now);
                if (settled == value || swap(value, settled)) {
                    return decision(false, settled, now, permits);
                }
            } else if (swap(value, next)) {
                return decision(true, next, now, permits);
            }
        }
    }

    private Decision decision(boolean permitted, long value, long now, long permits) {
        return permits == 1
                ? new NumberDecision(this, permitted, now, value)
                : new SnapshotDecision(
                        this, permitted, permitted ? permits : 0, readings(value, permitted ? 0 : permits, now));
    }

    static long resetNanos(long freshAt, long now) {
        return freshAt == CompiledLimit.NOT_BY_TIME ? Decision.UNKNOWN : Math.max(freshAt, now) - now;
    }

    private SnapshotDecision.Readings readings(long value, long permits, long now) {
        SnapshotDecision.Readings readings = new SnapshotDecision.Readings(1);
        readings.remaining(0, limit.remaining(value, now));
        readings.waitNanos(0, limit.waitNanos(value, now, permits));
        readings.resetNanos(0, resetNanos(limit.freshAt(value), now));
        readings.mark(0, value);
        return readings;
    }

    @Override
    @Nullable
    Decision peek(long permits, TimeSource clock) {
        long value = word();
        long now = clock.epochNanos();
        if (value == DEAD || !limit.covers(now)) {
            return null;
        }
        value = settle(value, now);
        boolean permitted = limit.waitNanos(value, now, permits) == 0;
        return new SnapshotDecision(this, permitted, 0, readings(value, permits, now));
    }

    @Override
    @Nullable
    Decision peekUnder(BoundRule next, long permits, TimeSource clock) {
        long value = word();
        long now = clock.epochNanos();
        if (value == DEAD || !limit.covers(now)) {
            return null;
        }
        LimitState[] used = {new NumberState(limit, settle(value, now))};
        return bound.answerUnder(next, key, used, permits, now);
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
        return word == DEAD ? now : now + Math.min(limit.waitNanos(word, now, 1), Long.MAX_VALUE - now);
    }
}
