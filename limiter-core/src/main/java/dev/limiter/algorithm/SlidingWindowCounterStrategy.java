package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.WindowLimit;
import java.util.Arrays;

/** {@link Algorithm#SLIDING_WINDOW_COUNTER}: a window of sub-windows that slides. */
public final class SlidingWindowCounterStrategy implements RateLimiterStrategy {

    @Override
    public Algorithm algorithm() {
        return Algorithm.SLIDING_WINDOW_COUNTER;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit instanceof Limit.SlidingWindowCounter counter) {
            return new Counter(counter, now);
        }
        throw new IllegalArgumentException(limit + " is no sliding window counter");
    }

    /*
     * The window reaches back over the current sub-window, buckets - 1 whole ones, and the youngest part of one more,
     * the oldest. Nobody knows when in it the oldest's permits were taken. As its share "elapsed" leaves the window, so
     * many of its permits are forgiven:
     *
     *     used = all - min(floor(oldest x elapsed), floor(limit / buckets))
     *
     * The first term is the usual estimate (even spread, rounded up). The second caps what a wrong guess can cost: a
     * burst at the end of the oldest would otherwise be forgiven while it still counts, and then any window could hold
     * 2 x limit. So it is at most limit x (1 + 1 / buckets). With one bucket the cap is the limit: the two-counter
     * formula of https://blog.cloudflare.com/counting-things-a-lot-of-different-things/.
     *
     * Time is counted in nanoseconds / buckets ("ticks"), so that a sub-window is a whole number of them: as many as the
     * window has nanoseconds. In plain nanoseconds where a sub-window is a whole number of those, and where the ticks of
     * a window would not fit a long (some years in a hundred parts and more): then a sub-window is rounded up.
     */
    private static final class Counter extends WindowLimit {

        private static final long LARGEST_WINDOW = 1L << 60;

        private final long origin;
        private final long reach;
        private final long limit;
        private final int buckets;
        private final int ticksPerNano;
        private final long bucketTicks;
        private final long span;
        private final long forgivable;

        Counter(Limit.SlidingWindowCounter limit, long now) {
            super(limit);
            this.limit = limit.limit();
            this.buckets = limit.buckets();
            long window = limit.window().toNanos();
            boolean plain = window % buckets == 0 || window > LARGEST_WINDOW / buckets;
            this.ticksPerNano = plain ? 1 : buckets;
            this.bucketTicks = plain ? Exact.ceilDiv(window, buckets) : window;
            this.span = plain ? bucketTicks * buckets : window;
            this.forgivable = this.limit / buckets;
            this.origin = now - Math.floorMod(now, span);
            this.reach = (1L << 61) / ticksPerNano;
        }

        @Override
        public boolean covers(long now) {
            return Math.abs(now - origin) <= reach;
        }

        @Override
        public long forgottenAt(long takenAt) {
            return nanos((bucket(takenAt) + buckets + 1) * bucketTicks);
        }

        @Override
        public LimitState newState() {
            return new Counts(this);
        }

        /** The number of the sub-window that {@code now} lies in. */
        long bucket(long now) {
            return Math.floorDiv(ticks(now), bucketTicks);
        }

        long ticks(long now) {
            return (now - origin) * ticksPerNano;
        }

        long nanos(long ticks) {
            return origin + Exact.ceilDiv(ticks, ticksPerNano);
        }
    }

    /** The counts of {@code buckets + 1} sub-windows, in a ring that ends with the newest. */
    private static final class Counts implements LimitState {

        private final Counter limit;
        private final long[] counts;
        private long newest;
        private long total;

        Counts(Counter limit) {
            this.limit = limit;
            this.counts = new long[limit.buckets + 1];
            this.newest = Long.MIN_VALUE >> 1;
        }

        @Override
        public long waitNanos(long now, long permits) {
            if (permits > limit.limit) {
                return Decision.NEVER;
            }
            long ticks = advance(now);
            long missing = permits - (limit.limit - total);
            if (missing <= forgiven(ticks)) {
                return 0;
            }
            return Math.max(limit.nanos(freedAt(missing)) - now, 1);
        }

        /** The tick at which so many permits are free that are taken now, one or more. */
        private long freedAt(long missing) {
            long bucket = newest - limit.buckets;
            for (long left = missing; ; bucket++) {
                long count = count(bucket);
                long leaves = (bucket + limit.buckets) * limit.bucketTicks;
                if (left <= count && left <= limit.forgivable) {
                    return leaves + Exact.mulDivUp(left, limit.bucketTicks, count);
                }
                left -= count;
                if (left <= 0) {
                    return leaves + limit.bucketTicks;
                }
            }
        }

        @Override
        public long take(long now, long permits) {
            long ticks = advance(now);
            counts[slot(newest)] += permits;
            total += permits;
            return limit.nanos(ticks);
        }

        @Override
        public void giveBack(long mark, long now, long permits) {
            advance(now);
            long bucket = limit.bucket(mark);
            if (bucket >= newest - limit.buckets && bucket <= newest) {
                long returned = Math.min(permits, count(bucket));
                counts[slot(bucket)] -= returned;
                total -= returned;
            }
        }

        @Override
        public long remaining(long now) {
            long ticks = advance(now);
            return Math.max(limit.limit - total + forgiven(ticks), 0);
        }

        @Override
        public long freshAt(long now) {
            advance(now);
            for (long bucket = newest; bucket >= newest - limit.buckets; bucket--) {
                if (count(bucket) > 0) {
                    return limit.nanos((bucket + limit.buckets + 1) * limit.bucketTicks);
                }
            }
            return now;
        }

        @Override
        public void carry(LimitState previous, CompiledLimit previousLimit, long now) {
            if (previous instanceof Counts other
                    && other.limit.buckets == limit.buckets
                    && other.limit.bucketTicks == limit.bucketTicks) {
                // both origins are whole spans, so the sub-windows lie on each other
                long shift = (other.limit.origin - limit.origin) / limit.span * limit.buckets;
                newest = other.newest + shift;
                total = other.total;
                for (long bucket = newest - limit.buckets; bucket <= newest; bucket++) {
                    counts[slot(bucket)] = other.count(bucket - shift);
                }
            } else {
                LimitState.super.carry(previous, previousLimit, now);
            }
        }

        /** Moves the ring on to {@code now}; returns the ticks, never before the newest sub-window. */
        private long advance(long now) {
            long ticks = limit.ticks(now);
            long bucket = Math.floorDiv(ticks, limit.bucketTicks);
            if (bucket < newest) {
                return steppedBack(bucket, ticks);
            }
            if (bucket - newest > limit.buckets) {
                if (total != 0) {
                    Arrays.fill(counts, 0);
                    total = 0;
                }
                newest = bucket;
            }
            while (newest < bucket) {
                newest++;
                total -= counts[slot(newest)];
                counts[slot(newest)] = 0;
            }
            return ticks;
        }

        /** A step back of up to half a window is sat out; after a longer one all counts move back with the clock. */
        private long steppedBack(long bucket, long ticks) {
            if (newest - bucket <= limit.buckets) {
                long start = newest * limit.bucketTicks;
                if (start - ticks <= limit.bucketTicks * limit.buckets / 2) {
                    return start;
                }
            }
            int distance = (int) Math.floorMod(bucket - newest, (long) counts.length);
            long[] old = counts.clone();
            for (int i = 0; i < old.length; i++) {
                counts[(i + distance) % old.length] = old[i];
            }
            newest = bucket;
            return ticks;
        }

        /** How many of the oldest sub-window's permits no longer count. */
        private long forgiven(long ticks) {
            long elapsed = ticks - newest * limit.bucketTicks;
            long oldest = count(newest - limit.buckets);
            return oldest == 0 ? 0 : Math.min(Exact.mulDiv(oldest, elapsed, limit.bucketTicks), limit.forgivable);
        }

        private long count(long bucket) {
            return counts[slot(bucket)];
        }

        private int slot(long bucket) {
            return (int) Math.floorMod(bucket, (long) counts.length);
        }
    }
}
