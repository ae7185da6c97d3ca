package dev.limiter.algorithm;

import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.NumberState;

/*
 * Windows that follow each other, numbered from the one in which the limit was compiled. Window and count are one number,
 * so that one compare-and-set moves both:
 *
 *     value = window number x (limit + 1) + used,    0 <= used <= limit
 *
 * A value below the current window's first is from the past: nothing used. One above its last comes from a clock that
 * stepped back: see settle.
 */
abstract class FixedWindow extends NumberLimit {

    private static final long LARGEST = 1L << 61;

    private final long limit;
    private final long shortest;
    private final long origin;
    private final long reach;

    /** {@code shortest}: no window is shorter, in nanoseconds. */
    FixedWindow(Limit limit, long shortest, long now) {
        super(limit);
        this.limit = limit.limit();
        this.shortest = shortest;
        this.origin = now;
        long count = Math.min(LARGEST / (this.limit + 1) - 2, Integer.MAX_VALUE);
        this.reach = count >= LARGEST / shortest ? LARGEST : count * shortest;
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
        long used = Math.max(value - first, 0);
        return permits <= limit - used ? first + used + permits : REFUSED;
    }

    /**
     * The clock stepped back to before the window of {@code value}. A step of up to half a window is sat out where the
     * count is; after a longer one, which would block for longer than a window, the count moves to now.
     */
    @Override
    public final long settle(long value, long now) {
        if (value <= first(now) + limit || startOf(value) - now <= shortest / 2) {
            return value;
        }
        return first(now) + Math.floorMod(value, limit + 1);
    }

    @Override
    public final long waitNanos(long value, long now, long permits) {
        if (permits > limit) {
            return Decision.NEVER;
        }
        return permits <= remaining(value, now) ? 0 : endOf(first(value, now)) - now;
    }

    @Override
    public final long remaining(long value, long now) {
        return limit - Math.max(value - first(value, now), 0);
    }

    @Override
    public final long freshAt(long value) {
        return Math.floorMod(value, limit + 1) == 0 || value == fresh() ? Long.MIN_VALUE : endOf(value);
    }

    @Override
    public final long giveBack(long value, long taken, long now, long permits) {
        long first = value - Math.floorMod(value, limit + 1);
        boolean sameWindow = taken >= first && taken <= first + limit;
        return sameWindow ? Math.max(value - permits, first) : value;
    }

    @Override
    public final long carry(CompiledLimit previous, LimitState state, long now) {
        if (previous instanceof FixedWindow window && window.sameWindows(this) && state instanceof NumberState number) {
            long used = Math.min(Math.floorMod(number.value(), window.limit + 1), limit);
            long start = number.value() == window.fresh() ? Long.MIN_VALUE : window.startOf(number.value());
            return start >= now - shortest * 2 && covers(start) ? first(start) + used : fresh();
        }
        return super.carry(previous, state, now);
    }

    /** The value of an unused window at {@code now}. */
    private long first(long now) {
        return number(now) * (limit + 1);
    }

    /** The same, or of the window that {@code value} belongs to when that one is still to come. */
    private long first(long value, long now) {
        long first = first(now);
        return value <= first + limit ? first : value - Math.floorMod(value, limit + 1);
    }

    private long startOf(long value) {
        return start(Math.floorDiv(value, limit + 1));
    }

    private long endOf(long value) {
        return start(Math.floorDiv(value, limit + 1) + 1);
    }
}
