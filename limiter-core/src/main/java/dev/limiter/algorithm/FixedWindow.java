package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;

/*
 * Consecutive windows, numbered from the one in which the limit was compiled. Window and count are encoded in one
 * number, so that one compare-and-set updates both:
 *
 *     value = window number x (2 x limit + 1) + used,    0 <= used <= 2 x limit
 *
 * Permits above the limit were reserved by requests that wait for the next window, and count there. A value below the
 * first one of the previous window is from the past, so nothing is used. A value above the last one of the current
 * window means that the clock stepped back: see settle.
 */
abstract class FixedWindow extends SingleNumberLimit {

    private static final long LARGEST = 1L << 61;

    private final long limit;

    /** The number of values per window. */
    private final long span;

    private final long shortest;
    private final long origin;
    private final long reach;

    /** Creates a limit with windows that are never shorter than {@code shortest} nanoseconds. */
    FixedWindow(Limit limit, long shortest, long now) {
        super(limit);
        this.limit = limit.limit();
        this.span = 2 * this.limit + 1;
        this.shortest = shortest;
        this.origin = now;
        long count = count(this.limit);
        this.reach = count >= LARGEST / shortest ? LARGEST : count * shortest;
    }

    /** Returns how many windows before and after the origin can be numbered. */
    static long count(long limit) {
        return LARGEST / (2 * limit + 1) - 3;
    }

    /** Returns the number of the window that contains {@code now}. */
    abstract long number(long now);

    /** Returns the start of a window, which is the end of the previous one. */
    abstract long start(long number);

    /** Returns whether both have the same windows, apart from their numbers. */
    abstract boolean sameWindows(FixedWindow other);

    @Override
    public final boolean covers(long now) {
        return Math.abs(now - origin) <= reach;
    }

    @Override
    public final long fresh() {
        return -LARGEST;
    }

    @Override
    public final long take(long value, long now, long permits) {
        long first = first(value, now);
        long used = used(value, first);
        return permits <= limit - used ? first + used + permits : REJECTED;
    }

    /**
     * Handles a clock that stepped back to before the window of {@code value}. After a step of up to half a window, the
     * state is kept. A longer step would block for more than a window, so the count moves to the current window.
     */
    @Override
    public final long settle(long value, long now, long longestWait) {
        if (value < first(now) + span || start(number(value, 0)) - now <= shortest / 2) {
            return value;
        }
        return first(now) + Math.min(Math.floorMod(value, span), limit);
    }

    /**
     * Returns the wait. The permits are available in this window, the next one, or the one after if waiting requests
     * have reserved the next.
     */
    @Override
    public final long waitNanos(long value, long now, long permits) {
        if (permits > limit) {
            return CompiledLimit.NEVER;
        }
        long first = first(value, now);
        long used = used(value, first);
        if (permits <= limit - used) {
            return 0;
        }
        return start(number(first, permits <= 2 * limit - Math.max(used, limit) ? 1 : 2)) - now;
    }

    @Override
    public final boolean hasTurns() {
        return true;
    }

    /**
     * Returns the wait for a turn. Waiting requests may reserve permits of the next window, but not of the one after
     * it.
     */
    @Override
    public final long admissionNanos(long value, long now, long permits, long maxWait) {
        long first = first(value, now);
        long wait = waitNanos(value, now, permits);
        if (wait >= CompiledLimit.UNKNOWN) {
            return wait;
        }
        boolean fits = permits <= 2 * limit - Math.max(used(value, first), limit);
        return Math.max(wait - maxWait, fits ? 0 : start(number(first, 1)) - now);
    }

    /** Takes permits of the window that contains the turn, or of the next window for a later turn. */
    @Override
    public final long reserve(long value, long now, long wait, long permits) {
        long first = first(value, now);
        long used = used(value, first);
        if (permits <= limit - used && wait < start(number(first, 1)) - now) {
            return first + used + permits;
        }
        long occupied = Math.max(used, limit) + permits;
        return permits <= limit && occupied <= 2 * limit ? first + occupied : REJECTED;
    }

    @Override
    public final long remaining(long value, long now) {
        return Math.max(limit - used(value, first(value, nearest(now))), 0);
    }

    @Override
    public final long freshAt(long value) {
        long used = Math.floorMod(value, span);
        return used == 0 || value == fresh() ? Long.MIN_VALUE : start(number(value, used <= limit ? 1 : 2));
    }

    /**
     * Returns permits taken in the current window, or reserved from it during the previous one. Once permits of the
     * next window are reserved, permits of the current one are not returned, because the value no longer distinguishes
     * the two.
     */
    @Override
    public final long giveBack(long value, TakenPermits charge, long now) {
        long taken = charge.mark();
        long permits = charge.permits();
        // a fresh state has no window number
        if (value == fresh() || taken == fresh()) {
            return value;
        }
        long first = value - Math.floorMod(value, span);
        long full = first + limit;
        if (taken > full && taken < first + span) {
            return Math.max(value - permits, Math.min(value, full));
        }
        boolean counts = taken >= first - limit && taken <= full && value <= full;
        return counts ? Math.max(value - permits, first) : value;
    }

    @Override
    public final long carry(CompiledLimit previous, LimitState state, long now) {
        if (previous instanceof FixedWindow window && window.sameWindows(this) && state instanceof NumberState number) {
            long used = Math.floorMod(number.value(), window.span);
            long occupied = Math.min(Math.max(used - window.limit, 0), limit);
            long start =
                    number.value() == window.fresh() ? Long.MIN_VALUE : window.start(window.number(number.value(), 0));
            if (start < now - shortest * 2) {
                return fresh();
            }
            // out of reach only after a step back of the clock: such permits count as of now
            return covers(start)
                    ? first(start) + (occupied > 0 ? limit + occupied : Math.min(used, limit))
                    : first(now) + Math.min(used, limit);
        }
        return super.carry(previous, state, now);
    }

    /** Returns the computable time closest to {@code now}; states are the same at both times. */
    private long nearest(long now) {
        return Math.min(Math.max(now, origin - reach), origin + reach + 2 * shortest);
    }

    /** Returns the value of the unused window at {@code now}. */
    private long first(long now) {
        return number(now) * span;
    }

    /** Returns the unused value of the current window, or of the window of {@code value} if that is in the future. */
    private long first(long value, long now) {
        long first = first(now);
        return value < first + span ? first : value - Math.floorMod(value, span);
    }

    /**
     * Returns the permits counted in the window that begins with {@code first}, including those reserved during the
     * previous one.
     */
    private long used(long value, long first) {
        long used = value - first;
        return used >= 0 ? used : Math.max(used + limit + 1, 0);
    }

    /** Returns the number of the window that is {@code windows} after that of {@code value}. */
    private long number(long value, int windows) {
        return Math.floorDiv(value, span) + windows;
    }
}
