package dev.limiter.algorithm;

import dev.limiter.Limit;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The expected decisions of an algorithm: slow and obvious, in numbers of any size. Time only advances. */
abstract class Model {

    final Limit limit;

    Model(Limit limit) {
        this.limit = limit;
    }

    static Model of(Limit limit) {
        if (limit instanceof Limit.TokenBucket bucket) {
            return new Bucketful(limit, bucket.burst());
        }
        if (limit instanceof Limit.LeakyBucket bucket) {
            return new Bucketful(limit, bucket.burst());
        }
        if (limit instanceof Limit.FixedWindow) {
            return new Windows(limit);
        }
        if (limit instanceof Limit.SlidingWindowCounter counter) {
            return new SubWindows(limit, counter.buckets());
        }
        return new PermitLogChunk(limit);
    }

    /** Returns the permits that could be taken now. */
    abstract long remaining(long now);

    /** Takes permits; returns a receipt for returning them. */
    abstract Object take(long now, long permits);

    /**
     * Returns permits, of which others have returned {@code returnedSince} since they were taken; returns whether that
     * changed anything.
     */
    abstract boolean giveBack(Object receipt, long now, long permits, long returnedSince);

    boolean permits(long now, long permits) {
        return permits <= limit.capacity() && (permits == 0 || permits <= remaining(now));
    }

    static BigInteger big(long value) {
        return BigInteger.valueOf(value);
    }

    static BigInteger ceilDiv(BigInteger a, BigInteger b) {
        return a.add(b).subtract(BigInteger.ONE).divide(b);
    }

    /** A level that falls by limit / window per nanosecond, in units of 1 / window of a permit. */
    private static final class Bucketful extends Model {

        private final BigInteger window = big(limit.window().toNanos());
        private final BigInteger full;
        private BigInteger emptyAt = BigInteger.ZERO;

        Bucketful(Limit limit, long burst) {
            super(limit);
            this.full = big(burst).multiply(window);
        }

        private BigInteger clock(long now) {
            return big(now).multiply(big(limit.limit()));
        }

        private BigInteger level(long now) {
            return emptyAt.subtract(clock(now)).max(BigInteger.ZERO);
        }

        @Override
        long remaining(long now) {
            return full.subtract(level(now)).divide(window).longValueExact();
        }

        @Override
        Object take(long now, long permits) {
            emptyAt = clock(now).add(level(now)).add(big(permits).multiply(window));
            return new Charge(emptyAt, now);
        }

        @Override
        boolean giveBack(Object receipt, long now, long permits, long returnedSince) {
            Charge charge = (Charge) receipt;
            BigInteger charged = big(permits).multiply(window);
            BigInteger moved = charge.end.subtract(big(returnedSince).multiply(window));
            BigInteger alone = clock(charge.time).add(charged);
            BigInteger stillIn = moved.max(alone).subtract(clock(now)).max(BigInteger.ZERO);
            emptyAt = emptyAt.subtract(stillIn.min(charged));
            return stillIn.signum() > 0;
        }

        private record Charge(BigInteger end, long time) {}
    }

    private static final class Windows extends Model {

        private long window;
        private long used;

        Windows(Limit limit) {
            super(limit);
        }

        private void moveTo(long now) {
            long current = now / limit.window().toNanos();
            if (current != window) {
                window = current;
                used = 0;
            }
        }

        @Override
        long remaining(long now) {
            moveTo(now);
            return limit.limit() - used;
        }

        @Override
        Object take(long now, long permits) {
            moveTo(now);
            used += permits;
            return window;
        }

        @Override
        boolean giveBack(Object receipt, long now, long permits, long returnedSince) {
            moveTo(now);
            boolean counts = (long) receipt == window;
            used -= counts ? permits : 0;
            return counts;
        }
    }

    /** One grant; returning its permits removes it from the list. */
    private static final class Grant {

        final long time;
        final long permits;

        Grant(long time, long permits) {
            this.time = time;
            this.permits = permits;
        }
    }

    private abstract static class Grants extends Model {

        final Deque<Grant> grants = new ArrayDeque<>();

        Grants(Limit limit) {
            super(limit);
        }

        @Override
        Object take(long now, long permits) {
            Grant grant = new Grant(now, permits);
            grants.add(grant);
            return grant;
        }

        @Override
        @SuppressWarnings("ReferenceEquality")
        boolean giveBack(Object receipt, long now, long permits, long returnedSince) {
            return grants.removeIf(grant -> grant == receipt);
        }
    }

    private static final class PermitLogChunk extends Grants {

        PermitLogChunk(Limit limit) {
            super(limit);
        }

        @Override
        long remaining(long now) {
            grants.removeIf(grant -> grant.time <= now - limit.window().toNanos());
            return limit.limit()
                    - grants.stream().mapToLong(grant -> grant.permits).sum();
        }
    }

    private static final class SubWindows extends Grants {

        private final BigInteger window = big(limit.window().toNanos());
        private final BigInteger buckets;

        SubWindows(Limit limit, int buckets) {
            super(limit);
            this.buckets = big(buckets);
        }

        /** Returns the number of the sub-window, counted from the epoch. */
        private BigInteger number(long time) {
            return big(time).multiply(buckets).divide(window);
        }

        @Override
        long remaining(long now) {
            BigInteger oldest = number(now).subtract(buckets);
            grants.removeIf(grant -> number(grant.time).compareTo(oldest) < 0);
            long all = 0;
            long partly = 0;
            for (Grant grant : grants) {
                all += grant.permits;
                partly += number(grant.time).equals(oldest) ? grant.permits : 0;
            }
            // as much of the oldest sub-window has left as has passed of the current one
            BigInteger elapsed = big(now).multiply(buckets).mod(window);
            long left = big(partly).multiply(elapsed).divide(window).longValueExact();
            long forgiven = Math.min(left, limit.limit() / buckets.longValueExact());
            return Math.max(limit.limit() - all + forgiven, 0);
        }
    }

    /** Returns all limits to compare with their model: every algorithm at even and odd rates. */
    static List<Limit> limits(long permits, java.time.Duration window) {
        List<Limit> limits = new ArrayList<>();
        limits.add(Limit.tokenBucket(permits, window));
        limits.add(Limit.tokenBucket(permits, window).burst(Math.min(400, permits)));
        limits.add(Limit.leakyBucket(permits, window));
        limits.add(Limit.fixedWindow(permits, window));
        limits.add(Limit.slidingWindowCounter(permits, window).buckets(1));
        limits.add(Limit.slidingWindowCounter(permits, window).buckets(2));
        limits.add(Limit.slidingWindowCounter(permits, window).buckets(7));
        limits.add(Limit.slidingWindowCounter(permits, window));
        limits.add(Limit.slidingWindowLog(permits, window));
        return limits;
    }
}
