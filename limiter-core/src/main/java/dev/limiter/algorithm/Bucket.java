package dev.limiter.algorithm;

import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.NumberState;
import java.math.BigInteger;

/*
 * Both buckets, by the Generic Cell Rate Algorithm (ITU-T I.371, "virtual scheduling"). The state is one number, the
 * theoretical arrival time: when the bucket will be empty (of requests) if nothing more comes.
 *
 *     level = max(0, theoreticalArrivalTime - now)
 *     permitted  <=>  level + permits x emissionInterval <= burst x emissionInterval
 *     theoreticalArrivalTime' = now + level + permits x emissionInterval
 *
 * The emission interval, window / limit, is seldom a whole number of nanoseconds (1/7 of a microsecond at 7,000,000 per
 * second). So time is counted in a unit in which both it and a nanosecond are whole: with window / limit reduced to the
 * fraction w / l, a nanosecond is l units and a permit w; nothing is rounded. Only where burst x w does not fit 60 bits
 * (such as 10,000,019 permits per 30 days) l is cut to what fits and w rounded up, by less than a thousandth for windows
 * of up to a year and rates of up to 10,000,000 per second. The same where l is so large that the clock would leave
 * these bits behind within a moment (such as 999,999,999,999,999 permits per second).
 */
final class Bucket extends NumberLimit {

    /** Clock readings and bucket sizes stay below this, so that their sums fit a long. */
    private static final int BITS = 60;

    /** With a nanosecond of so many bits at most, the clock may move on for a minute. */
    private static final int SHORT_BITS = 24;

    /** A permit of so many bits is not cut for that: it would be rounded too much. */
    private static final int PRECISE_BITS = 14;

    private static final long FRESH = -(1L << BITS + 1);

    private final long origin;
    private final long reach;
    private final long unitsPerNano;
    private final long unitsPerPermit;
    private final long full;
    private final Divisor perNano;
    private final Divisor perPermit;

    Bucket(Limit limit, long burst, long now) {
        super(limit);
        BigInteger window = Exact.big(limit.window().toNanos());
        BigInteger permits = Exact.big(limit.limit());
        BigInteger divisor = window.gcd(permits);
        BigInteger nano = permits.divide(divisor);
        BigInteger permit = window.divide(divisor);
        int excess = Math.max(
                permit.multiply(Exact.big(burst)).bitLength() - BITS,
                Math.min(nano.bitLength() - SHORT_BITS, permit.bitLength() - PRECISE_BITS));
        if (excess > 0) {
            BigInteger exact = nano;
            nano = nano.shiftRight(excess).max(BigInteger.ONE);
            permit = permit.multiply(nano).add(exact.subtract(BigInteger.ONE)).divide(exact);
        }
        this.unitsPerNano = nano.longValueExact();
        this.unitsPerPermit = permit.longValueExact();
        this.perNano = new Divisor(unitsPerNano);
        this.perPermit = new Divisor(unitsPerPermit);
        this.full = unitsPerPermit * burst;
        this.origin = now;
        this.reach = (1L << BITS) / unitsPerNano;
    }

    @Override
    public boolean covers(long now) {
        return Math.abs(now - origin) <= reach;
    }

    @Override
    public long fresh() {
        return FRESH;
    }

    @Override
    public long take(long value, long now, long permits) {
        long clock = clock(now);
        long level = Math.max(value - clock, 0);
        if (permits > capacity()) {
            return REFUSED;
        }
        long next = level + permits * unitsPerPermit;
        return next <= full ? clock + next : REFUSED;
    }

    /** A level above full can only come from a clock that stepped back: full as of now. */
    @Override
    public long settle(long value, long now) {
        return Math.min(value, clock(now) + full);
    }

    @Override
    public long waitNanos(long value, long now, long permits) {
        if (permits > capacity()) {
            return Decision.NEVER;
        }
        long excess = level(value, now) + permits * unitsPerPermit - full;
        return excess <= 0 ? 0 : perNano.ceilSigned(excess);
    }

    @Override
    public long remaining(long value, long now) {
        return perPermit.floor(full - level(value, now));
    }

    @Override
    public long freshAt(long value) {
        return origin + perNano.ceilSigned(value);
    }

    /**
     * Only what has not leaked yet: of a charge that ended at {@code taken}, that is what lies between now and there.
     * More could return what somebody else took after the bucket had been empty. If a charge before this one was returned
     * in between, everything lies earlier than marked, and up to as much as that one can be returned in excess.
     */
    @Override
    public long giveBack(long value, long taken, long now, long permits) {
        long visible = Math.min(Math.max(taken - clock(now), 0), permits * unitsPerPermit);
        return value - visible;
    }

    @Override
    public long carry(CompiledLimit previous, LimitState state, long now) {
        if (previous instanceof Bucket bucket && state instanceof NumberState number) {
            long level = bucket.level(number.value(), bucket.nearest(now));
            boolean fills = level / bucket.unitsPerPermit >= capacity();
            return clock(now) + (fills ? full : Exact.mulDivUp(level, unitsPerPermit, bucket.unitsPerPermit));
        }
        return super.carry(previous, state, now);
    }

    /** A time at which the level is the same as at {@code now}, and can be computed. */
    private long nearest(long now) {
        return Math.min(Math.max(now, origin - reach), origin + 2 * reach);
    }

    private long clock(long now) {
        return (now - origin) * unitsPerNano;
    }

    private long level(long value, long now) {
        return Math.min(Math.max(value - clock(now), 0), full);
    }
}
