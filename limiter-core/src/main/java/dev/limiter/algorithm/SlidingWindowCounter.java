package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.SlidingWindowLimit;
import dev.limiter.spi.TakenPermits;

/*
 * The window consists of the current sub-window, buckets - 1 whole ones before it, and the end of one more, the oldest.
 * A count does not record when in its sub-window permits were taken. As the fraction "elapsed" of the oldest leaves the
 * window, that part of its permits is forgiven:
 *
 *     used = all - min(floor(oldest x elapsed), floor(limit / buckets))
 *
 * The first term is the usual estimate (even distribution, rounded up). The second limits the error. Otherwise a burst
 * at the end of the oldest sub-window would be forgiven while it still counts, and some window could contain 2 x limit.
 * So any window contains at most limit x (1 + 1 / buckets). With one bucket, the second term is the limit, which gives
 * the two-counter formula of https://blog.cloudflare.com/counting-things-a-lot-of-different-things/.
 *
 * Time is counted in ticks, such that a nanosecond and a sub-window are both whole numbers of ticks: buckets and
 * window, divided by their greatest common divisor. If those do not fit a long (ten years in seven sub-windows), a tick
 * is a nanosecond, and the sub-window is rounded up.
 */
final class SlidingWindowCounter extends SlidingWindowLimit {

    private static final long LARGEST_WINDOW = 1L << 60;

    private final long origin;
    private final long reach;

    /** The time from which no permit taken within reach counts. */
    private final long latest;

    private final long limit;
    private final int buckets;
    private final long bucketTicks;
    private final long ticksPerNano;
    private final long windowNanos;
    private final long forgivable;

    SlidingWindowCounter(Limit.SlidingWindowCounter limit, long now) {
        super(limit);
        this.limit = limit.limit();
        this.buckets = limit.buckets();
        long window = limit.window().toNanos();
        long common = Exact.big(window).gcd(Exact.big(buckets)).longValueExact();
        boolean fits = window / common <= LARGEST_WINDOW / buckets;
        this.ticksPerNano = fits ? buckets / common : 1;
        this.bucketTicks = fits ? window / common : Exact.ceilDiv(window, buckets);
        this.forgivable = this.limit / buckets;
        this.windowNanos = bucketTicks * buckets / ticksPerNano;
        this.origin = now - Math.floorMod(now, windowNanos);
        this.reach = (1L << 61) / ticksPerNano;
        this.latest = origin + reach + 3 * Math.max(windowNanos, 1);
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

    /** Returns the number of the sub-window that contains {@code now}. */
    long bucket(long now) {
        return Math.floorDiv(ticks(now), bucketTicks);
    }

    /** Returns the ticks at {@code now}, limited to the range that can be computed; states are the same beyond it. */
    long ticks(long now) {
        return (Math.min(Math.max(now, origin - reach), latest) - origin) * ticksPerNano;
    }

    long nanos(long ticks) {
        return origin + Exact.ceilDiv(ticks, ticksPerNano);
    }

    /** The counts of {@code buckets + 1} sub-windows, in a ring buffer that ends with the newest. */
    private static final class Counts implements LimitState {

        private final SlidingWindowCounter limit;
        private final long[] counts;
        private long total;

        /** The newest sub-window: its number, first tick, index in the ring, and expiry. */
        private long newest;

        private long start = Long.MIN_VALUE;
        private int slot;
        private long forgottenAt;

        Counts(SlidingWindowCounter limit) {
            this.limit = limit;
            this.counts = new long[limit.buckets + 1];
            newest(Long.MIN_VALUE / 4 / limit.bucketTicks);
        }

        private void newest(long bucket) {
            newest = bucket;
            start = bucket * limit.bucketTicks;
            forgottenAt = limit.nanos(start + (limit.buckets + 1) * limit.bucketTicks);
        }

        @Override
        public long waitNanos(long now, long permits) {
            if (permits > limit.limit) {
                return CompiledLimit.NEVER;
            }
            long ticks = advance(now);
            long missing = permits - (limit.limit - total);
            if (missing <= 0 || missing <= forgiven(ticks)) {
                return 0;
            }
            return Math.max(limit.nanos(freedAt(missing)) - now, 1);
        }

        /** Returns the tick at which {@code missing} more permits (1 or more) become free. */
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
            counts[slot] += permits;
            total += permits;
            return ticks == limit.ticks(now) ? now : limit.nanos(ticks);
        }

        @Override
        public void giveBack(TakenPermits taken, long now) {
            advance(now);
            long bucket = limit.bucket(taken.mark());
            if (bucket >= newest - limit.buckets && bucket <= newest) {
                long returned = Math.min(taken.permits(), count(bucket));
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
            if (counts[slot] > 0) {
                return forgottenAt;
            }
            for (long bucket = newest - 1; bucket >= newest - limit.buckets; bucket--) {
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
                    && other.limit.windowNanos == limit.windowNanos) {
                // origins are whole windows, so the sub-windows of both align; permits out of reach count fully or not
                // at all
                long windows = (other.limit.origin - limit.origin) / limit.windowNanos;
                long most = (1L << 62) / limit.buckets;
                long shifted = other.newest + Math.min(Math.max(windows, -most), most) * limit.buckets;
                long current = limit.bucket(now);
                newest(shifted > current + limit.buckets ? current : Math.max(shifted, current - counts.length));
                total = other.total;
                for (int age = 0; age < counts.length; age++) {
                    counts[slot(newest - age)] = other.count(other.newest - age);
                }
            } else {
                LimitState.super.carry(previous, previousLimit, now);
            }
        }

        /** Advances the ring to {@code now}; returns the ticks, never before the newest sub-window. */
        private long advance(long now) {
            long ticks = limit.ticks(now);
            if (ticks >= start && ticks - start < limit.bucketTicks) {
                return ticks;
            }
            return ticks >= start ? slide(ticks) : steppedBack(ticks);
        }

        private long slide(long ticks) {
            long bucket = Math.floorDiv(ticks, limit.bucketTicks);
            for (long i = Math.min(bucket - newest, counts.length); i > 0; i--) {
                slot = slot + 1 == counts.length ? 0 : slot + 1;
                total -= counts[slot];
                counts[slot] = 0;
            }
            newest(bucket);
            return ticks;
        }

        /**
         * Handles a clock that stepped back. After a step of up to half a window, the counts are kept. After a longer
         * one they move to the next start of a sub-window: anywhere later in a sub-window, they would count as older
         * than they are.
         */
        private long steppedBack(long ticks) {
            if (start - ticks > limit.bucketTicks * limit.buckets / 2) {
                newest(Exact.ceilDiv(ticks, limit.bucketTicks));
            }
            return start;
        }

        /** Returns how many permits of the oldest sub-window no longer count. */
        private long forgiven(long ticks) {
            long oldest = count(newest - limit.buckets);
            return oldest == 0 ? 0 : Math.min(Exact.mulDiv(oldest, ticks - start, limit.bucketTicks), limit.forgivable);
        }

        private long count(long bucket) {
            return counts[slot(bucket)];
        }

        /** Returns the index of a sub-window in the ring. */
        private int slot(long bucket) {
            int place = slot - (int) (newest - bucket);
            return place < 0 ? place + counts.length : place;
        }
    }
}
