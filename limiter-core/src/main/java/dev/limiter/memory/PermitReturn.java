package dev.limiter.memory;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;
import org.jspecify.annotations.Nullable;

/**
 * Permits that a request took and returns.
 *
 * @param from the cell from which they were taken
 * @param marks the state of each limit right after that, or NOTHING of {@link SingleNumberLimit}
 * @param permits the most permits of any limit
 * @param own the permits per limit; null if they are all the same
 * @param at when they were taken, in epoch nanoseconds
 * @param returnedBefore the permits of the key that had been returned by that time
 */
record PermitReturn(
        Cell from, long[] marks, long permits, @Nullable OwnCosts own, long at, long returnedBefore) {

    /**
     * The permits that a request took from limits with different costs.
     *
     * @param permits the permits per limit
     * @param returnedBefore upper bounds of the permits per limit that had been returned before
     */
    record OwnCosts(long[] permits, long[] returnedBefore) {}

    /**
     * Returns the permits to return to the limit at {@code index} of {@code cell}, which granted them or continues the
     * cell that did.
     */
    TakenPermits of(Cell cell, int index, long now) {
        long since = cell.returned() - returnedBefore;
        if (cell == from) {
            return new TakenPermits(marks[index], at, own == null ? since : returnedSince(index, own), permits(index));
        }
        int taken = cell.origin(index).in(from);
        long mark = taken < 0 || marks[taken] == SingleNumberLimit.NOTHING
                ? SingleNumberLimit.NOTHING
                : markUnder(cell.bound.limit(index), from.bound.limit(taken), marks[taken], now);
        return new TakenPermits(mark, Long.MIN_VALUE, since, taken < 0 ? 0 : permits(taken));
    }

    private long permits(int limit) {
        return own == null ? permits : own.permits()[limit];
    }

    private long returnedSince(int limit, OwnCosts own) {
        return from.returnedOfEach()[limit] - own.returnedBefore()[limit];
    }

    /**
     * Returns how far, in permits, this return may shift the marks of other requests. Times and held permits never
     * shift.
     */
    long moves() {
        long most = 0;
        for (int i = 0; i < marks.length; i++) {
            boolean counts = marks[i] != SingleNumberLimit.NOTHING && !from.bound.holds(i);
            if (counts && from.bound.limit(i) instanceof SingleNumberLimit) {
                most = Math.max(most, permits(i));
            }
        }
        return most;
    }

    /**
     * Converts a mark to the limit of a successor. Numbers depend on the version of a limit; times do not. If only some
     * of the permits may have been carried over, the number does not show which. The limit changed at some time between
     * the take and now, so the earlier of both results applies.
     */
    private long markUnder(CompiledLimit limit, CompiledLimit previous, long mark, long now) {
        if (previous instanceof SingleNumberLimit from && limit instanceof SingleNumberLimit to) {
            boolean whole =
                    (previous.getClass().isInstance(limit) || limit.getClass().isInstance(previous))
                            && sameWindows(previous.limit(), limit.limit())
                            && limit.covers(at);
            NumberState state = new NumberState(from, mark);
            return whole ? Math.min(to.carry(from, state, at), to.carry(from, state, now)) : SingleNumberLimit.NOTHING;
        }
        boolean numbers = limit instanceof SingleNumberLimit || previous instanceof SingleNumberLimit;
        return numbers ? SingleNumberLimit.NOTHING : mark;
    }

    private static boolean sameWindows(Limit limit, Limit other) {
        return limit.algorithm() != Algorithm.FIXED_WINDOW
                || limit.window().equals(other.window())
                        && (!(limit instanceof Limit.CalendarWindow calendar)
                                || calendar.zone().equals(((Limit.CalendarWindow) other).zone()));
    }

    /** Returns whether a cell continues the one from which the permits were taken. */
    boolean belongsTo(Cell cell) {
        for (int i = 0; i < cell.bound.size(); i++) {
            if (cell.origin(i).in(from) >= 0) {
                return true;
            }
        }
        return false;
    }
}
