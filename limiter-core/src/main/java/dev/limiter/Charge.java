package dev.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A request for permits of one rule and key, made by {@link Rule#charge}. All limits of the rule charge as many permits,
 * unless one has a {@linkplain #cost cost} of its own. Immutable, thread-safe; a value out of range is an {@link
 * IllegalArgumentException}.
 *
 * <pre>{@code
 * Charge upload = uploads.charge("alice").cost("bytes", 2_000_000).maxWait(Duration.ofSeconds(5));
 * }</pre>
 */
public final class Charge {

    /** The key of a bucket that all callers of a rule share. */
    public static final String SHARED = "";

    private final Rule rule;
    private final String key;
    private final long permits;

    /** One for each limit; empty if all are alike. */
    private final List<Long> costs;

    private final int reserve;
    private final Duration maxWait;
    private final int maxWaiting;
    private final boolean refundable;

    Charge(Rule rule, String key, long permits) {
        this(rule, key, permits, List.of(), 0, Duration.ZERO, Integer.MAX_VALUE, false);
    }

    private Charge(
            Rule rule,
            String key,
            long permits,
            List<Long> costs,
            int reserve,
            Duration maxWait,
            int maxWaiting,
            boolean refundable) {
        LimitChecks.permits(rule, permits);
        this.rule = rule;
        this.key = key;
        this.permits = permits;
        this.costs = costs;
        this.reserve = reserve;
        this.maxWait = maxWait;
        this.maxWaiting = maxWaiting;
        this.refundable = refundable;
    }

    /**
     * This charge with another number of permits of one limit: 5 of its requests and 2,000,000 of its bytes, for
     * example. A limit of which a request takes 0 does not count it, and does not reject it.
     *
     * @param limit its {@linkplain Limit#name() name}
     * @param permits 0 or more
     * @throws IllegalArgumentException if the rule has no limit of that name
     */
    public Charge cost(String limit, long permits) {
        LimitChecks.permits(rule, permits);
        List<Long> each = new ArrayList<>(
                costs.isEmpty() ? Collections.nCopies(rule.limits().size(), this.permits) : costs);
        each.set(rule.position(limit), permits);
        long most = Collections.max(each);
        boolean alike = Collections.min(each) == most;
        return new Charge(
                rule, key, most, alike ? List.of() : List.copyOf(each), reserve, maxWait, maxWaiting, refundable);
    }

    /**
     * This charge for a caller that leaves that share of each limit to others, in percent from 0 to 99: what a request
     * without priority cannot have. A caller that {@linkplain #maxWait(Duration) waits} for the next fixed window leaves
     * nothing of the present one.
     */
    public Charge reserve(int percent) {
        LimitChecks.range("reserve", percent, 0, 99);
        return new Charge(rule, key, permits, costs, percent, maxWait, maxWaiting, refundable);
    }

    /**
     * This charge for a caller that waits for so long, zero or more. A storage decides it now, for a turn within that
     * time ({@link Decision#delay()}): token buckets, paced leaky buckets and fixed windows (the next one) give turns,
     * other limits decide as if the caller did not wait. {@link RateLimiters#acquire} queues requests for those.
     */
    public Charge maxWait(Duration maxWait) {
        LimitChecks.waiting(rule, maxWait, maxWaiting);
        return new Charge(rule, key, permits, costs, reserve, maxWait, maxWaiting, refundable);
    }

    /** This charge, rejected if so many wait already for the same rule and key on this instance; 0 or more. */
    public Charge maxWaiting(int maxWaiting) {
        LimitChecks.waiting(rule, maxWait, maxWaiting);
        return new Charge(rule, key, permits, costs, reserve, maxWait, maxWaiting, refundable);
    }

    /**
     * This charge, which the outcome of the request may refund. A request that waits for such a charge queues, and tries
     * again when another one is refunded.
     */
    public Charge refundable(boolean refundable) {
        return new Charge(rule, key, permits, costs, reserve, maxWait, maxWaiting, refundable);
    }

    public Rule rule() {
        return rule;
    }

    /** The key that owns the permits; {@link #SHARED} for the one bucket of all callers. */
    public String key() {
        return key;
    }

    /** The permits of each limit, or the most of any where costs differ; 0 charges nothing and is always permitted. */
    public long permits() {
        return permits;
    }

    /** The permits of the limit at that position in {@link Rule#limits()}. */
    public long permits(int limit) {
        return costs.isEmpty() ? permits : costs.get(limit);
    }

    public int reserve() {
        return reserve;
    }

    public Duration maxWait() {
        return maxWait;
    }

    public int maxWaiting() {
        return maxWaiting;
    }

    public boolean refundable() {
        return refundable;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Charge that
                        && permits == that.permits
                        && reserve == that.reserve
                        && maxWaiting == that.maxWaiting
                        && refundable == that.refundable
                        && key.equals(that.key)
                        && rule.equals(that.rule)
                        && maxWait.equals(that.maxWait)
                        && costs.equals(that.costs);
    }

    @Override
    public int hashCode() {
        return Objects.hash(rule, key, permits);
    }

    @Override
    public String toString() {
        return "Charge[" + (costs.isEmpty() ? permits : costs) + " of " + rule.name() + " for \"" + key + "\""
                + (reserve == 0 ? "" : ", reserve " + reserve + "%")
                + (maxWait.isZero() ? "" : ", maxWait " + maxWait)
                + (refundable ? ", refundable" : "") + "]";
    }
}
