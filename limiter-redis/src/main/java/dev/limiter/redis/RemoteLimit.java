package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One limit as the scripts have to be told of it, worked out once. The scripts count in whole microseconds, exactly:
 * windows that are not a whole number of them cannot be had here.
 */
final class RemoteLimit {

    /** Whole numbers are exact in Lua up to twice this. */
    static final int BITS = 52;

    private static final byte[] NOTHING = {};

    /** Entries of a log, or sub-windows, that are as much work for the server as another state. */
    private static final int ENTRIES_OF_A_STATE = 16;

    /** Entries of a log that a script looks at for one request, at most. */
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
     * @param terms what {@code decide} unpacks after permits, kept and patience
     * @param returning what {@code give_back} unpacks after the mark
     * @param bounds the windows of a calendar, which follow the terms, and of which one follows the mark; none if there is
     *     no calendar
     * @param longestWait the longest wait for a turn that there is, or that the script can count with, in microseconds
     * @param unitsPerPermit by how much a permit moves the mark
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
     * Appends the request for permits of this limit.
     *
     * @param first whether it is the first one of its rule
     * @param permits how many are to be taken
     * @param kept how many must be left for others
     * @param maxWait in microseconds
     * @param hold the name under which concurrency permits are held
     */
    public void ask(Arguments out, boolean first, long permits, long kept, long maxWait, byte[] hold, long now) {
        out.octet(first ? 1 : 0)
                .octet(algorithm.number())
                .number(permits)
                .number(kept)
                .number(Math.min(maxWait, longestWait))
                .bytes(terms)
                .bytes(bounds.around(now))
                .bytes(held(hold));
    }

    /** {@code mark} and {@code returnedBefore}: as the script answered them when the permits were taken. */
    public void giveBack(Arguments out, long permits, long mark, long returnedBefore, byte[] hold) {
        out.octet(algorithm.number())
                .number(permits)
                .number(mark)
                .number(returnedBefore)
                .bytes(returning)
                .bytes(bounds.lengthUntil(mark))
                .bytes(held(hold));
    }

    /** The mark that it would have been if the last so many permits had not been taken. */
    long markBefore(long mark, long permits) {
        return mark - permits * unitsPerPermit;
    }

    /** The work of the server for a request of so many permits, in states of a bucket. */
    public int work(long permits) {
        return switch (limit.algorithm()) {
            case SLIDING_WINDOW_LOG -> 1 + (int) Math.min(permits, MOST_ENTRIES) / ENTRIES_OF_A_STATE;
            case SLIDING_WINDOW_COUNTER -> 1 + ((Limit.SlidingWindowCounter) limit).buckets() / ENTRIES_OF_A_STATE;
            case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, CONCURRENCY -> 1;
        };
    }

    /** Whether its permits are held until they are released. */
    boolean isHeld() {
        return algorithm == LuaAlgorithm.CONCURRENCY;
    }

    private byte[] held(byte[] hold) {
        return isHeld() ? hold : NOTHING;
    }

    /** How many permits must be left for others. */
    public long kept(Charge charge) {
        return PermitArithmetic.reserved(capacity, charge.reserve());
    }

    /** Whether more is asked than can ever be granted. {@code position}: of this limit in its rule. */
    public boolean isNever(Charge charge, int position) {
        long permits = charge.permits(position);
        return permits > 0 && permits > capacity - kept(charge);
    }

    /** The longest wait of a request for its turn; 0 where the limit gives none. */
    long patienceMicros(Duration maxWait) {
        return Math.min(micros(maxWait), longestWait);
    }

    /** A time to wait as a script is told of it, in microseconds; the longest that there is, if it is longer. */
    public static long micros(Duration maxWait) {
        return TimeUnit.MICROSECONDS.convert(maxWait);
    }

    /** Nanoseconds for an answer in microseconds, where -1 means unknown. */
    static long nanos(long micros) {
        return micros < 0 ? CompiledLimit.UNKNOWN : micros * 1000;
    }
}
