package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.NumberState;
import dev.limiter.RateLimiterStrategy;

/**
 * {@link Algorithm#FIXED_WINDOW}: {@code limit} per window. Windows are counted from the epoch, follow the calendar, or
 * start with their first request ({@link FirstRequestWindow}).
 */
public final class FixedWindowStrategy implements RateLimiterStrategy {

    @Override
    public Algorithm algorithm() {
        return Algorithm.FIXED_WINDOW;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit instanceof Limit.FixedWindow fixed) {
            return fixed.fromFirst()
                    ? new FirstRequestWindow(fixed)
                    : new Window(fixed, new EpochWindows(fixed.window().toNanos(), now), now);
        }
        if (limit instanceof Limit.CalendarWindow calendar) {
            return new Window(calendar, new CalendarWindows(calendar.period(), calendar.zone(), now), now);
        }
        throw new IllegalArgumentException(limit + " is no fixed window");
    }

    /*
     * Window and count are one number, so that one compare-and-set moves both:
     *
     *     value = window number x (limit + 1) + used,    0 <= used <= limit
     *
     * Windows are numbered from the one in which the limit was compiled. A value below the current window's first is
     * from the past: nothing used. One above its last comes from a clock that stepped back: see settle.
     */
    private static final class Window extends NumberLimit {

        private static final long LARGEST = 1L << 61;

        private final Windows windows;
        private final long limit;
        private final long origin;
        private final long reach;

        Window(Limit limit, Windows windows, long now) {
            super(limit);
            this.windows = windows;
            this.limit = limit.limit();
            this.origin = now;
            long count = Math.min(LARGEST / (this.limit + 1) - 2, Integer.MAX_VALUE);
            this.reach = count >= LARGEST / windows.shortest() ? LARGEST : count * windows.shortest();
        }

        @Override
        public boolean covers(long now) {
            return Math.abs(now - origin) <= reach;
        }

        @Override
        public long fresh() {
            return -LARGEST;
        }

        @Override
        public long take(long value, long now, long permits) {
            long first = first(value, now);
            long used = Math.max(value - first, 0);
            return permits <= limit - used ? first + used + permits : REFUSED;
        }

        /**
         * The clock stepped back to before the window of {@code value}. A step of up to half a window is sat out where
         * the count is; after a longer one, which would block for longer than a window, the count moves to now.
         */
        @Override
        public long settle(long value, long now) {
            if (value <= first(now) + limit || start(value) - now <= windows.shortest() / 2) {
                return value;
            }
            return first(now) + Math.floorMod(value, limit + 1);
        }

        @Override
        public long waitNanos(long value, long now, long permits) {
            if (permits > limit) {
                return Decision.NEVER;
            }
            return permits <= remaining(value, now) ? 0 : end(first(value, now)) - now;
        }

        @Override
        public long remaining(long value, long now) {
            return limit - Math.max(value - first(value, now), 0);
        }

        @Override
        public long freshAt(long value) {
            return Math.floorMod(value, limit + 1) == 0 || value == fresh() ? Long.MIN_VALUE : end(value);
        }

        @Override
        public long giveBack(long value, long taken, long now, long permits) {
            long first = value - Math.floorMod(value, limit + 1);
            boolean sameWindow = taken >= first && taken <= first + limit;
            return sameWindow ? Math.max(value - permits, first) : value;
        }

        @Override
        public long carry(CompiledLimit previous, LimitState state, long now) {
            if (previous instanceof Window window
                    && window.windows.sameAs(windows)
                    && state instanceof NumberState number) {
                long used = Math.min(Math.floorMod(number.value(), window.limit + 1), limit);
                long start = number.value() == window.fresh() ? Long.MIN_VALUE : window.start(number.value());
                return start >= now - windows.shortest() * 2 && covers(start) ? first(start) + used : fresh();
            }
            return super.carry(previous, state, now);
        }

        /** The value of an unused window at {@code now}. */
        private long first(long now) {
            return windows.number(now) * (limit + 1);
        }

        /** The same, or of the window that {@code value} belongs to when that one is still to come. */
        private long first(long value, long now) {
            long first = first(now);
            return value <= first + limit ? first : value - Math.floorMod(value, limit + 1);
        }

        private long start(long value) {
            return windows.start(Math.floorDiv(value, limit + 1));
        }

        private long end(long value) {
            return windows.start(Math.floorDiv(value, limit + 1) + 1);
        }
    }
}
