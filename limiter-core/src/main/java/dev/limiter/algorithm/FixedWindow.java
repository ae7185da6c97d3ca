package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;

/*
 * Windows that follow each other, numbered from the one in which the limit was compiled. Window and count are one
 * number, so that one compare-and-set moves both:
 *
 *     value = window number x (2 x limit + 1) + used,    0 <= used <= 2 x limit
 *
 * Use above the limit was taken by requests that wait for the next window, and counts there. A value below the previous
 * window's first is from the past: nothing is used. A value above the current window's last comes from a clock that
 * stepped back: see settle.
 */
abstract class FixedWindow extends SingleNumberLimit {

    private static final long LARGEST = 1L << 61;

    private final long limit;

    /** The values of one window. */
    private final long span;

    private final long shortest;
    private final long origin;
    private final long reach;

    /** {@code shortest}: no window is shorter, in nanoseconds. */
    FixedWindow(Limit limit, long shortest, long now) {
        super(limit);
        this.limit = limit.limit();
        this.span = 2 * this.limit + 1;
        this.shortest = shortest;
        this.origin = now;
        long count = count(this.limit);
        this.reach = count >= LARGEST / shortest ? LARGEST : count * shortest;
    }

    /** The windows before and after the origin that can be numbered. */
    static long count(long limit) {
        return LARGEST / (2 * limit + 1) - 3;
    }

    /** The number of the window that {@code now} lies in. */
    abstract long number(long now);

    /** When a window starts; the one before ends then. */
    abstract long start(long number);

    /** Whether the windows of both are the same, but for their numbers. */
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
     * The clock stepped back to before the window of {@code value}. A step of up to half a window is sat out where the
     * count is; after a longer one, which would block for longer than a window, the count moves to now.
     */
    @Override
    public final long settle(long value, long now, long longestWait) {
        if (value < first(now) + span || start(number(value, 0)) - now <= shortest / 2) {
            return value;
        }
        return first(now) + Math.min(Math.floorMod(value, span), limit);
    }

    /** The permits come in this window, in the next one, or in the one after it, if waiters have taken the next. */
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

    /** A waiter can have permits of the next window, but none of the one after it. */
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

    /** The permits are of the window of the turn; for a later turn they are of the next window. */
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
     * Returns the permits taken from the current window, or those reserved from it during the previous one. Returns
     * nothing for the current window once permits of the next are reserved, because the value no longer tells the two
     * apart.
     */
    @Override
    public final long giveBack(long value, TakenPermits charge, long now) {
        long taken = charge.mark();
        long permits = charge.permits();
        // both are unused where windows are over: the number of that state is of no window
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
            // out of reach is only what the clock stepped back from: that counts as of now
            return covers(start)
                    ? first(start) + (occupied > 0 ? limit + occupied : Math.min(used, limit))
                    : first(now) + Math.min(used, limit);
        }
        return super.carry(previous, state, now);
    }

    /** A time at which a state is the same as at {@code now}, and can be computed. */
    private long nearest(long now) {
        return Math.min(Math.max(now, origin - reach), origin + reach + 2 * shortest);
    }

    /** The value of an unused window at {@code now}. */
    private long first(long now) {
        return number(now) * span;
    }

    /** The unused value of the current window, or of the future window of {@code value}. */
    private long first(long value, long now) {
        long first = first(now);
        return value < first + span ? first : value - Math.floorMod(value, span);
    }

    /**
     * The permits counted in the window that begins with {@code first}, including those reserved during the previous
     * one.
     */
    private long used(long value, long first) {
        long used = value - first;
        return used >= 0 ? used : Math.max(used + limit + 1, 0);
    }

    /** The number of the window of a value, or of one after it. */
    private long number(long value, int windows) {
        return Math.floorDiv(value, span) + windows;
    }
}
