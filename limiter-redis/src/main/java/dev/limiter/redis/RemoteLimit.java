package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One limit with its precomputed script arguments. Scripts count in whole microseconds, so the windows of limits in
 * Redis must be a multiple of a microsecond.
 */
final class RemoteLimit {

    /** Integers in Lua are exact up to twice 2<sup>BITS</sup>. */
    static final int BITS = 52;

    private static final byte[] NOTHING = {};

    /** This many log entries or sub-windows cost the server as much as another state. */
    private static final int ENTRIES_OF_A_STATE = 16;

    /** The most log entries that a script reads for one request. */
    private static final int MOST_ENTRIES = 1000;

    public final Limit limit;
    public final LuaAlgorithm algorithm;

    private final byte[] terms;
    private final byte[] returning;
    private final CalendarBounds bounds;
    private final long longestWait;
    private final long unitsPerPermit;
    private final long capacity;

    /**
     * Creates a limit.
     *
     * @param terms what {@code decide} unpacks after permits, kept and patience
     * @param returning what {@code give_back} unpacks after the mark
     * @param bounds the calendar windows: five follow the terms, and one length follows the mark; none without a
     *     calendar
     * @param longestWait the longest wait for a turn that exists or that the script can compute, in microseconds
     * @param unitsPerPermit how far a permit moves the mark
     */
    RemoteLimit(
            Limit limit,
            LuaAlgorithm algorithm,
            Arguments terms,
            Arguments returning,
            CalendarBounds bounds,
            long longestWait,
            long unitsPerPermit) {
        this.limit = limit;
        this.algorithm = algorithm;
        this.terms = terms.toArray();
        this.returning = returning.toArray();
        this.bounds = bounds;
        this.longestWait = longestWait;
        this.unitsPerPermit = unitsPerPermit;
        this.capacity = limit.capacity();
    }

    /**
     * Appends a request for permits of this limit.
     *
     * @param first whether it is the first one of its rule
     * @param permits the permits to take
     * @param kept the permits that must be left for others
     * @param maxWait the maximum wait in microseconds
     * @param hold the name under which concurrency permits are held
     */
    public void appendRequest(
            Arguments out, boolean first, long permits, long kept, long maxWait, byte[] hold, long now) {
        out.octet(first ? 1 : 0)
                .octet(algorithm.number())
                .number(permits)
                .number(kept)
                .number(Math.min(maxWait, longestWait))
                .bytes(terms)
                .bytes(bounds.around(now))
                .bytes(held(hold));
    }

    /** Appends a return of permits; {@code mark} and {@code returnedBefore} are from the reply that granted them. */
    public void appendReturn(Arguments out, long permits, long mark, long returnedBefore, byte[] hold) {
        out.octet(algorithm.number())
                .number(permits)
                .number(mark)
                .number(returnedBefore)
                .bytes(returning)
                .bytes(bounds.lengthUntil(mark))
                .bytes(held(hold));
    }

    /** Returns what the mark would be without the last {@code permits} permits. */
    long markBefore(long mark, long permits) {
        return mark - permits * unitsPerPermit;
    }

    /** Returns the cost of a request for the server, in units of one bucket state. */
    public int work(long permits) {
        return switch (limit.algorithm()) {
            case SLIDING_WINDOW_LOG -> 1 + (int) Math.min(permits, MOST_ENTRIES) / ENTRIES_OF_A_STATE;
            case SLIDING_WINDOW_COUNTER -> 1 + ((Limit.SlidingWindowCounter) limit).buckets() / ENTRIES_OF_A_STATE;
            case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, CONCURRENCY -> 1;
        };
    }

    /** Returns whether permits are held until they are released. */
    boolean isHeld() {
        return algorithm == LuaAlgorithm.CONCURRENCY;
    }

    private byte[] held(byte[] hold) {
        return isHeld() ? hold : NOTHING;
    }

    /** Returns how many permits must be left for others. */
    public long kept(Charge charge) {
        return PermitArithmetic.reserved(capacity, charge.reserve());
    }

    /**
     * Returns whether a charge needs more than can ever be granted; {@code position} is that of this limit in its rule.
     */
    public boolean isNever(Charge charge, int position) {
        long permits = charge.permits(position);
        return permits > 0 && permits > capacity - kept(charge);
    }

    /** Returns the longest wait of a request for its turn; 0 if the limit has no turns. */
    long patienceMicros(Duration maxWait) {
        return Math.min(micros(maxWait), longestWait);
    }

    /** Returns a maximum wait as passed to scripts, in microseconds; limited to what fits a long. */
    public static long micros(Duration maxWait) {
        return TimeUnit.MICROSECONDS.convert(maxWait);
    }

    /** Converts microseconds of a reply to nanoseconds; -1 means unknown. */
    static long nanos(long micros) {
        return micros < 0 ? CompiledLimit.UNKNOWN : micros * 1000;
    }
}
