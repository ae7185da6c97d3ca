package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;
import java.math.BigInteger;

/*
 * Token and leaky buckets, by the Generic Cell Rate Algorithm (ITU-T I.371, "virtual scheduling"). The state is one
 * number, the theoretical arrival time: when the bucket will be empty of requests if no more come.
 *
 *     level = max(0, theoreticalArrivalTime - now)
 *     permitted  <=>  level + permits x emissionInterval <= burst x emissionInterval
 *     theoreticalArrivalTime' = now + level + permits x emissionInterval
 *
 * The emission interval, window / limit, is rarely a whole number of nanoseconds (1/7 of a microsecond at 7,000,000 per
 * second). So time is counted in units such that both are whole: with window / limit reduced to the fraction w / l, a
 * nanosecond is l units and a permit is w units. Nothing is rounded.
 *
 * There are three exceptions, in which l is shifted right and w rounded up. If burst x w does not fit 60 bits
 * (10,000,019 permits per 30 days), the error is below a thousandth for windows of up to a year and rates of up to
 * 10,000,000 per second. The same applies if l is so large that the clock would soon leave the range
 * (999,999,999,999,999 permits per second). And l never has more than 28 bits, so that a compiled limit covers at least
 * four seconds. Above 10^14 permits per second this loses up to half of the rate, and no bucket refills faster than
 * 2^28 permits per nanosecond.
 *
 * A waiting request takes its permits now, for a later turn. The theoretical arrival time advances at once, and the
 * turn comes when the level has fallen far enough. So turns are exact and in order of arrival, and a late departure
 * does not delay later turns.
 */
class TokenBucket extends SingleNumberLimit {

    /** The number of bits of clock readings and bucket sizes. */
    private static final int BITS = 60;

    /** The highest level: enough turns for the largest bucket. Its sum with a clock reading fits a long. */
    private static final long HIGHEST = 1L << BITS + 1;

    /** The most bits of a nanosecond with which the arithmetic covers a minute. */
    private static final int SHORT_BITS = 24;

    /** A permit of at most this many bits is not shifted for that, because the rounding error would be too large. */
    private static final int PRECISE_BITS = 14;

    /** The most bits of a nanosecond with which the arithmetic covers four seconds. */
    static final int MOST_BITS = 28;

    private static final long FRESH = -(1L << BITS + 1);

    private final long origin;
    private final long reach;
    private final long unitsPerNano;
    private final long unitsPerPermit;
    private final long burst;
    private final long full;
    private final long most;
    private final long needed;
    private final Divisor perNano;
    private final Divisor perPermit;

    TokenBucket(Limit.TokenBucket limit, long now) {
        this(limit, limit.burst(), false, now);
    }

    /** Creates a bucket; {@code paced} as in {@link LeakyBucket}. */
    TokenBucket(Limit limit, long burst, boolean paced, long now) {
        super(limit);
        BigInteger window = Exact.big(limit.window().toNanos());
        BigInteger permits = Exact.big(limit.limit());
        BigInteger divisor = window.gcd(permits);
        BigInteger nano = permits.divide(divisor);
        BigInteger permit = window.divide(divisor);
        int tooShort = Math.max(
                Math.min(nano.bitLength() - SHORT_BITS, permit.bitLength() - PRECISE_BITS),
                nano.bitLength() - MOST_BITS);
        int excess = Math.max(permit.multiply(Exact.big(burst)).bitLength() - BITS, tooShort);
        if (excess > 0) {
            BigInteger exact = nano;
            nano = nano.shiftRight(excess).max(BigInteger.ONE);
            permit = permit.multiply(nano).add(exact.subtract(BigInteger.ONE)).divide(exact);
        }
        this.unitsPerNano = nano.longValueExact();
        this.unitsPerPermit = permit.longValueExact();
        this.perNano = new Divisor(unitsPerNano);
        this.perPermit = new Divisor(unitsPerPermit);
        this.burst = burst;
        this.most = unitsPerPermit * burst;
        this.full = paced ? unitsPerPermit : most;
        this.needed = paced ? unitsPerPermit : Long.MAX_VALUE;
        this.origin = now;
        this.reach = (1L << BITS) / unitsPerNano;
    }

    @Override
    public boolean covers(long now) {
        return Math.abs(now - origin) <= reach;
    }

    @Override
    public long atOnce() {
        return burst;
    }

    @Override
    public long fresh() {
        return FRESH;
    }

    @Override
    public long take(long value, long now, long permits) {
        long clock = clock(now);
        long level = Math.max(value - clock, 0);
        if (permits > burst) {
            return REJECTED;
        }
        long charged = permits * unitsPerPermit;
        return level + Math.min(charged, needed) <= full ? clock + level + charged : REJECTED;
    }

    /**
     * Handles a clock that stepped back: a level above the longest possible wait is replaced by a full bucket as of
     * now. While requests may be waiting, this requires a step longer than a bucket takes to empty. Otherwise the turns
     * of those requests would be granted again.
     */
    @Override
    public long settle(long value, long now, long longestWait) {
        long highest = longestWait == 0 ? most : 2 * most + Math.min(longestWait, reach) * unitsPerNano;
        return value - clock(now) <= highest ? value : clock(now) + full;
    }

    @Override
    public long waitNanos(long value, long now, long permits) {
        if (permits > burst) {
            return CompiledLimit.NEVER;
        }
        long excess = level(value, now) + Math.min(permits * unitsPerPermit, needed) - full;
        return excess <= 0 ? 0 : perNano.ceilSigned(excess);
    }

    @Override
    public boolean hasTurns() {
        return true;
    }

    /** Returns 0 if the queue has space for {@code permits} more, otherwise nanoseconds until it has. */
    final long queueNanos(long value, long now, long permits) {
        long excess = level(value, now) + permits * unitsPerPermit - most - full;
        return excess <= 0 ? 0 : perNano.ceilSigned(excess);
    }

    /** Counts from the exact turn if the wait is due to this bucket: nanoseconds would add rounding errors. */
    @Override
    public long reserve(long value, long now, long wait, long permits) {
        long own = waitNanos(value, now, permits);
        long from = wait > own ? now + Math.min(wait, reach / 2) : now;
        long next = Math.max(value, clock(from)) + permits * unitsPerPermit;
        if (own > reach || next - clock(now) > HIGHEST) {
            return REJECTED;
        }
        return next;
    }

    @Override
    public long remaining(long value, long now) {
        return perPermit.floor(Math.max(full - level(value, nearest(now)), 0));
    }

    @Override
    public long freshAt(long value) {
        return origin + perNano.ceilSigned(value);
    }

    /**
     * Returns only permits that certainly have not leaked yet, because others would be granted twice. A charge ends at
     * its mark, and each permit that another request has returned since may have moved it closer to now. However far
     * that is, a charge never leaks sooner than it would have in an empty bucket. Returns nothing while requests wait
     * behind the charge: their turns are fixed, so its permits would be granted a second time.
     */
    @Override
    public long giveBack(long value, TakenPermits taken, long now) {
        // may be long after any decision
        long time = nearest(now);
        if (taken.mark() == NOTHING || value != taken.mark() && level(value, time) > full) {
            return value;
        }
        long charged = taken.permits() * unitsPerPermit;
        long left = Math.max(taken.mark() - moved(taken) - clock(time), leftAlone(taken, charged, time));
        return value - Math.min(Math.max(left, 0), charged);
    }

    /** Returns how far returned permits may have moved a mark, in units; at most {@link #HIGHEST}. */
    private long moved(TakenPermits taken) {
        boolean fits = taken.returnedSince() < HIGHEST / unitsPerPermit;
        return fits ? taken.returnedSince() * unitsPerPermit : HIGHEST;
    }

    /** Returns how much of a charge would be left if the bucket had been empty before it; 0 if its time is unknown. */
    private long leftAlone(TakenPermits taken, long charged, long time) {
        return taken.at() == Long.MIN_VALUE ? 0 : clock(nearest(taken.at())) + charged - clock(time);
    }

    @Override
    public long carry(CompiledLimit previous, LimitState state, long now) {
        if (previous instanceof TokenBucket bucket && state instanceof NumberState number) {
            long level = bucket.level(number.value(), bucket.nearest(now));
            boolean waiting = level > bucket.full;
            boolean fills = !waiting && level / bucket.unitsPerPermit >= burst;
            return clock(now) + (fills ? most : rescaled(level, bucket.unitsPerPermit));
        }
        return super.carry(previous, state, now);
    }

    private long rescaled(long level, long otherUnitsPerPermit) {
        boolean fits = level / otherUnitsPerPermit < HIGHEST / unitsPerPermit - 1;
        return fits ? Exact.mulDivUp(level, unitsPerPermit, otherUnitsPerPermit) : HIGHEST;
    }

    /** Returns the computable time closest to {@code now}; levels are the same at both times. */
    private long nearest(long now) {
        return Math.min(Math.max(now, origin - reach), origin + 2 * reach);
    }

    private long clock(long now) {
        return (now - origin) * unitsPerNano;
    }

    private long level(long value, long now) {
        return Math.max(value - clock(now), 0);
    }
}
