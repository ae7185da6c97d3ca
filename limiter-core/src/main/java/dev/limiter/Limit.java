package dev.limiter;

import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;

/**
 * How many permits a key may take, and how they are counted: an immutable value, made by the factory method of its
 * algorithm. Each factory offers only the options that its algorithm has.
 *
 * <pre>{@code
 * Limit burst = Limit.tokenBucket(100, Duration.ofSeconds(1)).burst(200);
 * Limit hourly = Limit.fixedWindow(1000, Duration.ofHours(1)).named("hourly");
 * }</pre>
 *
 * <p>All limits take from 1 to {@link #MAX_PERMITS} permits and a window from one nanosecond to {@link #MAX_WINDOW};
 * anything else is an {@link IllegalArgumentException} that names the value and the range.
 */
public sealed interface Limit {

    /** The most permits that a limit or a burst may have: 10<sup>15</sup>. */
    long MAX_PERMITS = 1_000_000_000_000_000L;

    /** The longest window, and the longest time that a bucket may take to refill: 3,660 days. */
    Duration MAX_WINDOW = Duration.ofDays(3660);

    /** The name that tells this limit from others of the same rule; empty for a rule's only limit. */
    String name();

    /** The algorithm that counts. */
    Algorithm algorithm();

    /** The permits per {@link #window()}, at least 1. */
    long limit();

    /** The time that {@link #limit()} refers to; zero if it refers to none (concurrency). */
    Duration window();

    /** The most permits that one request can ever be granted; asking for more is answered "never". */
    default long capacity() {
        return limit();
    }

    /**
     * Whether a permit is held until its decision is {@linkplain Decision#close closed}; others come back with time.
     */
    default boolean isHeld() {
        return switch (algorithm()) {
            case CONCURRENCY -> true;
            case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG -> false;
        };
    }

    /** Whether permits are granted evenly, one after the other, instead of as many at once as there are. */
    default boolean isSpaced() {
        return switch (algorithm()) {
            case TOKEN_BUCKET -> !((TokenBucket) this).warmUp().isZero();
            case LEAKY_BUCKET -> ((LeakyBucket) this).even();
            case FIXED_WINDOW, SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG, CONCURRENCY -> false;
        };
    }

    /** The permits that remain while none is used: the capacity, or 1 if they {@linkplain #isSpaced() are spaced}. */
    default long atOnce() {
        return isSpaced() ? 1 : capacity();
    }

    /** The same limit with a name: letters, digits, {@code -} and {@code _}, starting with a letter or digit. */
    Limit named(String name);

    /**
     * A bucket of {@code burst} tokens (default {@code limit}), refilled continuously with {@code limit} per window.
     * Over any window at most {@code limit + burst}.
     */
    static TokenBucket tokenBucket(long limit, Duration window) {
        return new TokenBucket("", limit, window, limit, Duration.ZERO);
    }

    /**
     * A bucket of {@code burst} (default {@code limit}) that leaks {@code limit} per window; a request that would
     * overflow it is rejected. Over any window at most {@code limit + burst}.
     */
    static LeakyBucket leakyBucket(long limit, Duration window) {
        return new LeakyBucket("", limit, window, limit, false, Duration.ZERO);
    }

    /** {@code limit} per window; windows are counted from the epoch. Over any window at most {@code 2 x limit}. */
    static FixedWindow fixedWindow(long limit, Duration window) {
        return new FixedWindow("", limit, window, false);
    }

    /**
     * {@code limit} per day, week (from Monday) or month of the calendar in a time zone: daylight-saving days and
     * months are as long as they are.
     *
     * @param period one day, seven days or one month
     */
    static CalendarWindow calendarWindow(long limit, Period period, ZoneId zone) {
        return new CalendarWindow("", limit, period, zone);
    }

    /**
     * {@code limit} over a window of 10 sub-windows that slides. Over any window at most
     * {@code limit x (1 + 1 / buckets)}, in practice close to {@code limit}.
     */
    static SlidingWindowCounter slidingWindowCounter(long limit, Duration window) {
        return new SlidingWindowCounter("", limit, window, 10);
    }

    /** Exactly {@code limit} over any window, at 18 bytes for each moment at which something was permitted. */
    static SlidingWindowLog slidingWindowLog(long limit, Duration window) {
        return new SlidingWindowLog("", limit, window);
    }

    /**
     * {@code limit} in flight at once: each holds its permit until its decision is {@linkplain Decision#close closed}.
     */
    static Concurrency concurrency(long limit) {
        return new Concurrency("", limit);
    }

    /**
     * See {@link Limit#tokenBucket}. {@code burst}: the most that can be taken at once, at least 1. {@code warmUp}: see
     * {@link #warmUp(Duration)}; zero for none.
     */
    record TokenBucket(String name, long limit, Duration window, long burst, Duration warmUp) implements Limit {
        public TokenBucket {
            LimitChecks.bucket(name, limit, window, burst);
            LimitChecks.warmUp(limit, burst, warmUp);
        }

        /** The same limit with another bucket size, from 1 to {@link Limit#MAX_PERMITS}; not with a warm-up. */
        public TokenBucket burst(long burst) {
            return new TokenBucket(name, limit, window, burst, warmUp);
        }

        /**
         * The same limit, but evenly spaced and slow at first: after idling for {@code warmUp}, a third of the rate,
         * climbing to all of it within that time of use. Not with a burst of its own.
         */
        public TokenBucket warmUp(Duration warmUp) {
            return new TokenBucket(name, limit, window, burst, warmUp);
        }

        @Override
        public TokenBucket named(String name) {
            return new TokenBucket(name, limit, window, burst, warmUp);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.TOKEN_BUCKET;
        }

        @Override
        public long capacity() {
            return burst;
        }
    }

    /**
     * See {@link Limit#leakyBucket}. {@code burst}: the size of the bucket, at least 1. {@code even}: see {@link
     * #paced()}. {@code warmUp}: as {@link TokenBucket#warmUp(Duration)}, for a paced bucket; zero for none.
     */
    record LeakyBucket(String name, long limit, Duration window, long burst, boolean even, Duration warmUp)
            implements Limit {
        public LeakyBucket {
            LimitChecks.bucket(name, limit, window, burst);
            if (even) {
                LimitChecks.warmUp(limit, limit, warmUp);
            } else if (!warmUp.isZero()) {
                throw new IllegalArgumentException(
                        "warmUp is " + warmUp + ", but a leaky bucket warms up only if it is paced");
            }
        }

        /** The same limit with another bucket size, from 1 to {@link Limit#MAX_PERMITS}. */
        public LeakyBucket burst(long burst) {
            return new LeakyBucket(name, limit, window, burst, even, warmUp);
        }

        /**
         * The same limit, evenly spaced: each request waits for its turn, and at most {@code burst} requests wait. A
         * request that does not wait ({@link RateLimiters#tryAcquire}) is permitted only when it would have its turn at
         * once. Over any window at most {@code limit + 1}.
         */
        public LeakyBucket paced() {
            return new LeakyBucket(name, limit, window, burst, true, warmUp);
        }

        /** The same limit, slow at first; see {@link TokenBucket#warmUp(Duration)}. For a paced bucket. */
        public LeakyBucket warmUp(Duration warmUp) {
            return new LeakyBucket(name, limit, window, burst, even, warmUp);
        }

        @Override
        public LeakyBucket named(String name) {
            return new LeakyBucket(name, limit, window, burst, even, warmUp);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.LEAKY_BUCKET;
        }

        @Override
        public long capacity() {
            return burst;
        }
    }

    /**
     * See {@link Limit#fixedWindow}. {@code fromFirst}: a window starts with the first request after the last one
     * ended, for each key apart, instead of being counted from the epoch.
     */
    record FixedWindow(String name, long limit, Duration window, boolean fromFirst) implements Limit {
        public FixedWindow {
            LimitChecks.window(name, limit, window);
        }

        /** The same limit with windows that start with their first request. */
        public FixedWindow startingWithFirst() {
            return new FixedWindow(name, limit, window, true);
        }

        @Override
        public FixedWindow named(String name) {
            return new FixedWindow(name, limit, window, fromFirst);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.FIXED_WINDOW;
        }
    }

    /** See {@link Limit#calendarWindow}. */
    record CalendarWindow(String name, long limit, Period period, ZoneId zone) implements Limit {

        public CalendarWindow {
            LimitChecks.calendar(period);
            LimitChecks.window(name, limit, length(period));
        }

        /** The length of an ordinary day or week, or of a month of 31 days. */
        @Override
        public Duration window() {
            return length(period);
        }

        private static Duration length(Period period) {
            return Duration.ofDays(period.getMonths() > 0 ? 31 : period.getDays());
        }

        @Override
        public CalendarWindow named(String name) {
            return new CalendarWindow(name, limit, period, zone);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.FIXED_WINDOW;
        }
    }

    /** See {@link Limit#slidingWindowCounter}. {@code buckets}: the sub-windows of a window, 1 to 1,000. */
    record SlidingWindowCounter(String name, long limit, Duration window, int buckets) implements Limit {
        public SlidingWindowCounter {
            LimitChecks.window(name, limit, window);
            LimitChecks.range("buckets", buckets, 1, 1000);
        }

        /** The same limit with another number of sub-windows, from 1 (the two-counter formula) to 1,000. */
        public SlidingWindowCounter buckets(int buckets) {
            return new SlidingWindowCounter(name, limit, window, buckets);
        }

        @Override
        public SlidingWindowCounter named(String name) {
            return new SlidingWindowCounter(name, limit, window, buckets);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.SLIDING_WINDOW_COUNTER;
        }
    }

    /** See {@link Limit#slidingWindowLog}. */
    record SlidingWindowLog(String name, long limit, Duration window) implements Limit {
        public SlidingWindowLog {
            LimitChecks.window(name, limit, window);
        }

        @Override
        public SlidingWindowLog named(String name) {
            return new SlidingWindowLog(name, limit, window);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.SLIDING_WINDOW_LOG;
        }
    }

    /** See {@link Limit#concurrency}. */
    record Concurrency(String name, long limit) implements Limit {
        public Concurrency {
            LimitChecks.limit(name, limit);
        }

        @Override
        public Duration window() {
            return Duration.ZERO;
        }

        @Override
        public Concurrency named(String name) {
            return new Concurrency(name, limit);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.CONCURRENCY;
        }
    }
}
