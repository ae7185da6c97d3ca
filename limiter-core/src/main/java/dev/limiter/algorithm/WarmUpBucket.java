package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;
import java.math.BigInteger;
import java.time.Duration;

/*
 * Evenly spaced permits, granted slowly after idling: the warming-up limiter of Guava
 * (SmoothRateLimiter.SmoothWarmingUp, with its cold factor of 3), in integers. Guava stores permits during idle time;
 * this stores time:
 *
 *     rest      recent idle time, from 0 (warm) to warmUp (cold); grows with the clock while idle,
 *               and each permit uses up one emission interval of it
 *     pace(r)   1 for r <= warmUp / 2, then linear up to 3 at warmUp: the emission intervals per permit
 *     interval  of a request = the area under pace between its rest before and after
 *
 * Warming up takes warmUp: a mean pace of 2 over the upper half of rest. The interval before a request is never shorter
 * than its permits' part of the window, so the rate never exceeds the limit. While requests wait, rest only falls, so
 * the rate eventually reaches the limit.
 *
 * Time is counted in units such that a nanosecond and a permit are whole, as in TokenBucket; the interval is rounded
 * up.
 */
final class WarmUpBucket extends CompiledLimit {

    private static final int BITS = 60;

    private final long origin;
    private final long reach;
    private final long unitsPerNano;
    private final long unitsPerPermit;
    private final long warmUp;

    WarmUpBucket(Limit limit, Duration warmUp, long now) {
        super(limit);
        BigInteger window = Exact.big(limit.window().toNanos());
        BigInteger permits = Exact.big(limit.limit());
        BigInteger divisor = window.gcd(permits);
        BigInteger nano = permits.divide(divisor);
        BigInteger permit = window.divide(divisor);
        BigInteger largest = permit.multiply(Exact.big(3 * Math.min(limit.capacity(), Limit.MAX_PERMITS / 3)))
                .max(nano.multiply(Exact.big(warmUp.toNanos())))
                .max(permit.multiply(Exact.big(limit.capacity())).add(nano.multiply(Exact.big(warmUp.toNanos()))));
        int excess = Math.max(
                Math.min(largest.bitLength() - BITS, nano.bitLength() - 1), nano.bitLength() - TokenBucket.MOST_BITS);
        if (excess > 0) {
            BigInteger exact = nano;
            nano = nano.shiftRight(excess).max(BigInteger.ONE);
            permit = permit.multiply(nano).add(exact.subtract(BigInteger.ONE)).divide(exact);
        }
        this.unitsPerNano = nano.longValueExact();
        this.unitsPerPermit = permit.longValueExact();
        this.warmUp = warmUp.toNanos() * unitsPerNano;
        this.origin = now;
        this.reach = (1L << BITS) / unitsPerNano;
    }

    @Override
    public boolean covers(long now) {
        return Math.abs(now - origin) <= reach;
    }

    @Override
    public boolean hasTurns() {
        return true;
    }

    /** Returns how far ahead a turn may be, so that the longest interval after it can still be computed. */
    @Override
    public long longestWait() {
        return Math.max((1L << BITS) - interval(warmUp, capacity()), 0) / unitsPerNano;
    }

    @Override
    public long atOnce() {
        return 1;
    }

    @Override
    public LimitState newState() {
        return new Warmth(this);
    }

    private long clock(long now) {
        return (nearest(now) - origin) * unitsPerNano;
    }

    /** Returns the units that a request takes after {@code rest}, below 2<sup>60</sup>. */
    private long interval(long rest, long permits) {
        long even = permits * unitsPerPermit;
        long above = Math.max(rest - warmUp / 2, 0);
        long aboveAfter = Math.max(rest - even - warmUp / 2, 0);
        return even + (above == 0 ? 0 : Exact.mulDivUp(2 * (above - aboveAfter), above + aboveAfter, warmUp));
    }

    /** Returns the computable time closest to {@code now}; states are the same at both times. */
    private long nearest(long now) {
        return Math.min(Math.max(now, origin - reach), origin + 2 * reach);
    }

    /** The time of the next turn, and the rest at the turn. */
    private static final class Warmth implements LimitState {

        private final WarmUpBucket limit;
        private long next = -(1L << BITS + 1);
        private long rest;

        /** The value of {@link #next} before the last request. */
        private long nextBefore;

        private long restBefore;
        private boolean returnable;

        /** The longest wait that was granted; {@link #next} may be that far ahead. */
        private long longestWait;

        Warmth(WarmUpBucket limit) {
            this.limit = limit;
            this.rest = limit.warmUp;
        }

        @Override
        public long waitNanos(long now, long permits) {
            if (permits > limit.capacity()) {
                return CompiledLimit.NEVER;
            }
            settle(now);
            long ahead = next - limit.clock(now);
            return ahead <= 0 ? 0 : Exact.ceilDiv(ahead, limit.unitsPerNano);
        }

        @Override
        public long admissionNanos(long now, long permits, long maxWait) {
            long wait = waitNanos(now, permits);
            return wait >= CompiledLimit.UNKNOWN ? wait : Math.max(wait - maxWait, 0);
        }

        @Override
        public long take(long now, long permits) {
            return reserve(now, 0, permits);
        }

        @Override
        public long reserve(long now, long wait, long permits) {
            long own = waitNanos(now, permits);
            long turn = Math.max(next, limit.clock(wait > own ? now + Math.min(wait, limit.reach) : now));
            long rested = restAt(turn);
            long after = turn + limit.interval(rested, permits);
            if (after - limit.clock(now) > 1L << BITS) {
                return SingleNumberLimit.NOTHING;
            }
            nextBefore = next;
            restBefore = rest;
            returnable = true;
            rest = rested;
            next = after;
            rest = Math.max(rest - permits * limit.unitsPerPermit, 0);
            longestWait = Math.max(longestWait, wait);
            return next;
        }

        /** Returns the rest at {@code clock} if no request comes until then. */
        private long restAt(long clock) {
            long idle = Math.max(clock - next, 0);
            return idle >= limit.warmUp - rest ? limit.warmUp : rest + idle;
        }

        /** Undoes the last request only: the interval of any other depends on those before it. */
        @Override
        public void giveBack(TakenPermits taken, long now) {
            if (taken.mark() == next && returnable) {
                next = nextBefore;
                rest = restBefore;
                returnable = false;
            }
        }

        @Override
        public long remaining(long now) {
            return waitNanos(now, 1) == 0 ? 1 : 0;
        }

        @Override
        public long freshAt(long now) {
            settle(now);
            return limit.origin + Exact.ceilDiv(next + limit.warmUp - rest, limit.unitsPerNano);
        }

        @Override
        public void carry(LimitState previous, CompiledLimit previousLimit, long now) {
            if (previous instanceof Warmth warmth) {
                long from = warmth.limit.unitsPerNano;
                long clock = warmth.limit.clock(now);
                long reached = Math.max(warmth.next - clock, 0);
                longestWait = warmth.longestWait;
                long highest = highest();
                // converts to units of this limit, unless the result exceeds the highest possible value and may not fit
                // a long
                boolean fits = reached / from < highest / limit.unitsPerNano;
                next = limit.clock(now) + (fits ? Exact.mulDivUp(reached, limit.unitsPerNano, from) : highest);
                long rested = warmth.restAt(Math.max(clock, warmth.next));
                rest = Exact.mulDiv(rested, limit.warmUp, warmth.limit.warmUp);
            } else {
                long used = Math.min(previousLimit.atOnce() - previous.remaining(now), limit.capacity());
                long wait = Math.min(previous.waitNanos(now, 1), limit.reach / 2);
                if (used > 0) {
                    long reached = Math.max(limit.interval(rest, used), wait * limit.unitsPerNano);
                    next = limit.clock(now) + Math.min(reached, highest());
                }
            }
        }

        /** Handles a clock that stepped back further than any request waits: the next turn is one interval from now. */
        private void settle(long now) {
            long clock = limit.clock(now);
            if (next - clock > highest()) {
                next = clock + limit.interval(rest, 1);
            }
        }

        /** Returns how far ahead of the clock the next turn can be, unless the clock stepped back. */
        private long highest() {
            return Math.min(longestWait, limit.reach) * limit.unitsPerNano
                    + limit.interval(limit.warmUp, limit.capacity());
        }
    }
}
