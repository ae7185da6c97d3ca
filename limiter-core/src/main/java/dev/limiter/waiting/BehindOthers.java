package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * A sliding window grants at most "most" permits over any window. So if permits leave a queue in order, each leaves at
 * least one window after the one that is "most" permits ahead of it, and
 *
 *     wait(k) >= (k - 1) / most x window + wait((k - 1) % most + 1)
 *
 * where wait(k) is the time until k permits are free if no other request comes. The storage can compute it for up to
 * "limit" permits. For a log, most = limit. A counter forgives up to limit / buckets permits early, so most = limit +
 * limit / buckets; there, a permit that is limit permits behind another leaves at least window - window / buckets after
 * it.
 */
/**
 * Computes a lower bound for the wait of a request behind others in a queue; requests ahead may also leave without
 * taking permits. Immutable.
 */
final class BehindOthers {

    private final Waiter waiter;

    /** The permits of requests ahead, per charge. */
    private final long[] ahead;

    BehindOthers(Waiter waiter, long[] ahead) {
        this.waiter = waiter;
        this.ahead = ahead;
    }

    /** Returns whether some of the requests ahead have left. */
    boolean isOutdated(long[] aheadNow) {
        return IntStream.range(0, ahead.length).anyMatch(i -> aheadNow[i] < ahead[i]);
    }

    /** Returns the charges to peek at: each includes the permits of the requests ahead. */
    List<Charge> charges() {
        List<Charge> atOnce = waiter.chargesAtOnce();
        return IntStream.range(0, ahead.length)
                .mapToObj(i -> ahead[i] == 0 ? atOnce.get(i) : withPermitsAhead(atOnce.get(i), ahead[i]))
                .toList();
    }

    private static Charge withPermitsAhead(Charge charge, long ahead) {
        Charge more = charge;
        List<Limit> limits = charge.rule().limits();
        for (int i = 0; i < limits.size(); i++) {
            Limit limit = limits.get(i);
            long own = charge.permits(i);
            if (own > 0) {
                long most = PermitArithmetic.atOnce(charge, limit);
                long inLastWindow = Math.min(Rounds.of(limit, own + ahead).permits(), most);
                more = more.cost(limit.name(), own > most ? own : inLastWindow);
            }
        }
        return more;
    }

    /**
     * Returns the rejection of the request if it cannot be served in time, or null; {@code peeked} is the decision on
     * {@link #charges()}.
     */
    @Nullable
    Decision rejection(Decision peeked, long now) {
        long[] waits = IntStream.range(0, ahead.length)
                .mapToLong(i -> nanos(i, waiter.part(peeked, i)))
                .toArray();
        boolean late = IntStream.range(0, waits.length)
                .anyMatch(i -> waits[i] > 0 && !waiter.charges.get(i).refundable() && waits[i] > waiter.deadline - now);
        if (late) {
            return waiter.rejection(peeked, i -> waits[i]);
        }
        return !peeked.permitted() && waiter.isHopeless(peeked, now) ? peeked : null;
    }

    /** Returns a lower bound for nanoseconds until the charge is granted; 0 if all of it fits into one window. */
    private long nanos(int charge, Decision part) {
        Charge asked = waiter.charges.get(charge);
        List<Limit> limits = asked.rule().limits();
        List<LimitStatus> statuses = part.limits();
        if (ahead[charge] == 0
                || statuses.size() != limits.size()
                || part.onFailure().isPresent()) {
            return 0;
        }
        long longest = 0;
        for (int i = 0; i < limits.size(); i++) {
            long own = asked.permits(i);
            long before =
                    own == 0 ? 0 : Rounds.of(limits.get(i), own + ahead[charge]).nanos();
            if (before > 0) {
                Duration after = statuses.get(i).retryAfter().orElse(Duration.ZERO);
                longest = Math.max(longest, before + after.toNanos());
            }
        }
        return longest;
    }

    /** The least time for whole windows of permits, and the permits left to wait for after that. */
    private record Rounds(long nanos, long permits) {

        static Rounds of(Limit limit, long permits) {
            if (limit instanceof Limit.SlidingWindowLog) {
                return of(permits, limit, 0, 0);
            }
            if (limit instanceof Limit.SlidingWindowCounter counter) {
                int buckets = counter.buckets();
                long bucket = -Math.floorDiv(-limit.window().toNanos(), buckets);
                return of(permits, limit, limit.limit() / buckets, bucket);
            }
            return new Rounds(0, permits);
        }

        private static Rounds of(long permits, Limit limit, long early, long bucket) {
            long window = limit.window().toNanos();
            long most = limit.limit() + early;
            long nanos = times((permits - 1) / most, window);
            long left = (permits - 1) % most + 1;
            return left <= limit.limit()
                    ? new Rounds(nanos, left)
                    : new Rounds(nanos + window - bucket, left - limit.limit());
        }

        /** Limited, because no request waits longer than {@link Limit#MAX_WINDOW}. */
        private static long times(long windows, long window) {
            long longest = Long.MAX_VALUE / 4;
            return windows > longest / window ? longest : windows * window;
        }
    }
}
