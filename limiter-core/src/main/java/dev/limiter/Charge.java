package dev.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A request for permits of one rule and key. All its limits charge as many, unless one has a cost of its own ({@link
 * #costing}). Immutable, thread-safe; a value out of range is an {@link IllegalArgumentException}.
 *
 * @param key the key that owns the permits; {@link #SHARED} for the one bucket of all callers
 * @param permits permits of each limit, 0 or more; the most of any where {@code costs} differ, in place of this value;
 *     0 charges nothing and is always permitted
 * @param keptPercent the share of each limit's capacity that must be left for others, in percent from 0 to 99: what a
 *     request without priority cannot have; rounded down to whole permits
 * @param maxWait how long the request would wait for its turn, zero or more; see {@link #within}
 * @param maxWaiting how many may wait for the same rule and key at the same time on this instance, 0 or more
 * @param costs how many of each limit, 0 or more, in the order of {@link Rule#limits()}; empty if all are alike.
 *     Storages ask {@link #permits(int)}
 * @param refundable whether the outcome of the request may refund it; a request that waits for such a charge queues, and
 *     tries again when another one is refunded
 */
public record Charge(
        Rule rule,
        String key,
        long permits,
        int keptPercent,
        Duration maxWait,
        int maxWaiting,
        List<Long> costs,
        boolean refundable) {

    /** The key of a bucket that all callers of a rule share. */
    public static final String SHARED = "";

    public Charge {
        if (!costs.isEmpty()) {
            permits = LimitChecks.most(rule, costs);
            costs = Collections.min(costs) == permits ? List.of() : List.copyOf(costs);
        }
        boolean inRange =
                permits >= 0 && keptPercent >= 0 && keptPercent <= 99 && maxWaiting >= 0 && !maxWait.isNegative();
        if (!inRange) {
            LimitChecks.permits(rule, permits);
            LimitChecks.waiting(rule, maxWait, maxWaiting);
            LimitChecks.range("keptPercent", keptPercent, 0, 99);
        }
    }

    /** A charge of the same number of permits of each limit. */
    public Charge(Rule rule, String key, long permits, int keptPercent, Duration maxWait, int maxWaiting) {
        this(rule, key, permits, keptPercent, maxWait, maxWaiting, List.of(), false);
    }

    public Charge(Rule rule, String key, long permits) {
        this(rule, key, permits, 0, Duration.ZERO, Integer.MAX_VALUE, List.of(), false);
    }

    /**
     * This charge with another number of permits of one limit: 5 of its requests and 2,000,000 of its bytes, for
     * example. A limit of which a request takes 0 does not count it, and does not reject it.
     *
     * @param limit its {@linkplain Limit#name() name}
     * @param permits 0 or more
     * @throws IllegalArgumentException if the rule has no limit of that name
     */
    public Charge costing(String limit, long permits) {
        List<Long> each = new ArrayList<>(
                costs.isEmpty() ? Collections.nCopies(rule.limits().size(), this.permits) : costs);
        each.set(rule.position(limit), permits);
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting, each, refundable);
    }

    /** How many permits of the limit at that position in {@link Rule#limits()}. */
    public long permits(int limit) {
        return costs.isEmpty() ? permits : costs.get(limit);
    }

    /**
     * This charge for a caller that waits for so long. A storage decides it now, for a turn within that time ({@link
     * Decision#delay()}): token buckets, paced leaky buckets and fixed windows (the next one) give turns, other limits
     * decide as if the caller did not wait. {@link RateLimiters#acquire} queues requests for those.
     */
    public Charge within(Duration maxWait) {
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting, costs, refundable);
    }

    /** This charge, rejected if so many wait already. */
    public Charge waitingAtMost(int maxWaiting) {
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting, costs, refundable);
    }

    /**
     * This charge for a caller that must leave that share of each limit for others, in percent from 0 to 99. A caller
     * that {@linkplain #within waits} for the next fixed window leaves nothing of the present one.
     */
    public Charge keeping(int keptPercent) {
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting, costs, refundable);
    }

    /** The part of so many permits that must be left for others, in whole permits. */
    public long kept(long permits) {
        return permits / 100 * keptPercent + permits % 100 * keptPercent / 100;
    }

    /** The permits that remain for this charge while {@linkplain Limit#atOnce() none is used}, beside those kept. */
    public long atOnce(Limit limit) {
        return Math.max(limit.atOnce() - kept(limit.capacity()), 0);
    }

    /** This charge, which the outcome of the request may refund. */
    public Charge asRefundable() {
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting, costs, true);
    }

    /**
     * These charges with one for each rule and key: its permits are the sum, its terms the strictest. Asked apart, each
     * would be decided as if the others were not there. For storages.
     */
    public static List<Charge> merged(List<Charge> charges) {
        List<Charge> merged = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            int same = 0;
            while (same < merged.size() && !merged.get(same).isOfSameState(charge)) {
                same++;
            }
            if (same == merged.size()) {
                merged.add(charge);
            } else {
                merged.set(same, merged.get(same).plus(charge));
            }
        }
        return merged;
    }

    private boolean isOfSameState(Charge other) {
        return key.equals(other.key) && rule.equals(other.rule);
    }

    private Charge plus(Charge other) {
        boolean alike = costs.isEmpty() && other.costs.isEmpty();
        return new Charge(
                rule,
                key,
                sum(permits, other.permits),
                Math.max(keptPercent, other.keptPercent),
                maxWait.compareTo(other.maxWait) < 0 ? maxWait : other.maxWait,
                Math.min(maxWaiting, other.maxWaiting),
                alike ? List.of() : sums(other),
                refundable || other.refundable);
    }

    private List<Long> sums(Charge other) {
        return IntStream.range(0, rule.limits().size())
                .mapToObj(i -> sum(permits(i), other.permits(i)))
                .toList();
    }

    private static long sum(long a, long b) {
        return a + b < 0 ? Long.MAX_VALUE : a + b;
    }

    /** Whether no more is asked than whether as many permits of each limit can be had now. */
    public boolean isPlain() {
        return keptPercent == 0 && maxWait.isZero() && costs.isEmpty();
    }
}
