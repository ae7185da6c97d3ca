package dev.limiter;

import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;

/**
 * How many permits a key may take, and how they are counted. Create limits with the factory methods, one per algorithm;
 * each offers only the options of its algorithm. Immutable and thread-safe.
 *
 * <pre>{@code
 * Limit burst = Limit.tokenBucket(100, Duration.ofSeconds(1)).burst(200);
 * Limit hourly = Limit.fixedWindow(1000, Duration.ofHours(1)).named("hourly");
 * }</pre>
 *
 * <p>Limits range from 1 to {@link #MAX_PERMITS} permits, and windows from one nanosecond to {@link #MAX_WINDOW}. Other
 * values throw an {@link IllegalArgumentException} that names the value and the range.
 */
public sealed interface Limit {

    /** The largest limit or burst: 10<sup>15</sup> permits. */
    long MAX_PERMITS = 1_000_000_000_000_000L;

    /** The longest window, and the longest time that a full bucket may take to refill: 3,660 days. */
    Duration MAX_WINDOW = Duration.ofDays(3660);

    /** Returns the name that distinguishes this limit from the others of its rule; may be empty for a single limit. */
    String name();

    /** Returns the algorithm that counts permits. */
    Algorithm algorithm();

    /** Returns the permits per {@link #window()}, at least 1. */
    long limit();

    /** Returns the time over which {@link #limit()} applies; zero for concurrency limits. */
    Duration window();

    /**
     * Returns the most permits that a single request can get. A request for more is {@linkplain Decision#never() never}
     * permitted.
     */
    default long capacity() {
        return limit();
    }

    /** Returns a copy with a name of letters, digits, {@code -} and {@code _}, starting with a letter or digit. */
    Limit named(String name);

    /**
     * Returns a bucket of {@code burst} tokens (default {@code limit}), refilled continuously at {@code limit} per
     * window. Permits at most {@code limit + burst} over any window.
     */
    static TokenBucket tokenBucket(long limit, Duration window) {
        return new TokenBucket("", limit, window, limit, Duration.ZERO);
    }

    /**
     * Returns a bucket of size {@code burst} (default {@code limit}) that leaks {@code limit} per window and rejects
     * requests that would overflow it. Permits at most {@code limit + burst} over any window.
     */
    static LeakyBucket leakyBucket(long limit, Duration window) {
        return new LeakyBucket("", limit, window, limit, false, Duration.ZERO);
    }

    /**
     * Returns a limit per window, with windows counted from the epoch. Permits at most {@code 2 x limit} over any
     * window.
     */
    static FixedWindow fixedWindow(long limit, Duration window) {
        return new FixedWindow("", limit, window, false);
    }

    /**
     * Returns a limit per calendar day, week (from Monday) or month in a time zone. Days with a daylight-saving change
     * and months have their actual length.
     *
     * @param period one day, seven days or one month
     */
    static CalendarWindow calendarWindow(long limit, Period period, ZoneId zone) {
        return new CalendarWindow("", limit, period, zone);
    }

    /**
     * Returns a limit over a sliding window of 10 sub-windows. Permits at most {@code limit x (1 + 1 / buckets)} over
     * any window; in practice, close to {@code limit}.
     */
    static SlidingWindowCounter slidingWindowCounter(long limit, Duration window) {
        return new SlidingWindowCounter("", limit, window, 10);
    }

    /**
     * Returns a limit of exactly {@code limit} over any window. Uses 18 bytes for each time at which a request was
     * permitted.
     */
    static SlidingWindowLog slidingWindowLog(long limit, Duration window) {
        return new SlidingWindowLog("", limit, window);
    }

    /**
     * Returns a limit on the requests in flight. Each holds its permits until its decision is {@linkplain
     * Decision#close closed}.
     */
    static Concurrency concurrency(long limit) {
        return new Concurrency("", limit);
    }

    /**
     * A token bucket; see {@link Limit#tokenBucket}.
     *
     * @param burst the most permits that can be taken at once, at least 1
     * @param warmUp see {@link #warmUp(Duration)}; zero for none
     */
    record TokenBucket(String name, long limit, Duration window, long burst, Duration warmUp) implements Limit {
        public TokenBucket {
            LimitChecks.bucket(name, limit, window, burst);
            LimitChecks.warmUp(limit, burst, warmUp);
        }

        /**
         * Returns a copy with another bucket size, from 1 to {@link Limit#MAX_PERMITS}. Cannot be combined with a
         * warm-up.
         */
        public TokenBucket burst(long burst) {
            return new TokenBucket(name, limit, window, burst, warmUp);
        }

        /**
         * Returns a copy that grants permits evenly spaced, slowly at first. After being idle for {@code warmUp}, the
         * rate starts at a third and climbs to the full rate within that time of use. Cannot be combined with a burst.
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
     * A leaky bucket; see {@link Limit#leakyBucket}.
     *
     * @param burst the size of the bucket, at least 1
     * @param even whether requests are {@link #paced()}
     * @param warmUp see {@link #warmUp(Duration)}; zero for none
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

        /** Returns a copy with another bucket size, from 1 to {@link Limit#MAX_PERMITS}. */
        public LeakyBucket burst(long burst) {
            return new LeakyBucket(name, limit, window, burst, even, warmUp);
        }

        /**
         * Returns a copy that spaces requests evenly: each waits for its turn, and at most {@code burst} requests wait.
         * A request that does not wait ({@link RateLimiters#tryAcquire}) is permitted only if its turn is now. Permits
         * at most {@code limit + 1} over any window.
         */
        public LeakyBucket paced() {
            return new LeakyBucket(name, limit, window, burst, true, warmUp);
        }

        /**
         * Returns a copy that is slow at first; see {@link TokenBucket#warmUp(Duration)}. Only for {@link #paced()}
         * buckets.
         */
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
     * A fixed window; see {@link Limit#fixedWindow}.
     *
     * @param alignedToFirst whether the window of each key starts with its first request after the previous window,
     *     instead of being counted from the epoch
     */
    record FixedWindow(String name, long limit, Duration window, boolean alignedToFirst) implements Limit {
        public FixedWindow {
            LimitChecks.window(name, limit, window);
        }

        /** Returns a copy with windows that start with the first request of each key. */
        public FixedWindow alignFirst() {
            return new FixedWindow(name, limit, window, true);
        }

        @Override
        public FixedWindow named(String name) {
            return new FixedWindow(name, limit, window, alignedToFirst);
        }

        @Override
        public Algorithm algorithm() {
            return Algorithm.FIXED_WINDOW;
        }
    }

    /** A calendar window; see {@link Limit#calendarWindow}. */
    record CalendarWindow(String name, long limit, Period period, ZoneId zone) implements Limit {

        public CalendarWindow {
            LimitChecks.calendar(period);
            LimitChecks.window(name, limit, length(period));
        }

        /** Returns the length of an ordinary day or week, or of a month of 31 days. */
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

    /**
     * A sliding window counter; see {@link Limit#slidingWindowCounter}.
     *
     * @param buckets the sub-windows per window, from 1 to 1,000
     */
    record SlidingWindowCounter(String name, long limit, Duration window, int buckets) implements Limit {
        public SlidingWindowCounter {
            LimitChecks.window(name, limit, window);
            LimitChecks.range("buckets", buckets, 1, 1000);
        }

        /**
         * Returns a copy with another number of sub-windows, from 1 to 1,000. With 1, the previous window counts in
         * proportion to its overlap.
         */
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

    /** A sliding window log; see {@link Limit#slidingWindowLog}. */
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

    /** A concurrency limit; see {@link Limit#concurrency}. */
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
