package dev.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A request for permits of one rule and key, created by {@link Rule#charge}. Every limit of the rule is charged the
 * same number of permits, unless {@link #cost} sets a different number for one of them. Immutable and thread-safe.
 * Methods throw {@link IllegalArgumentException} for values out of range.
 *
 * <pre>{@code
 * Charge upload = uploads.charge("alice").cost("bytes", 2_000_000).maxWait(Duration.ofSeconds(5));
 * }</pre>
 */
public final class Charge {

    /** The key of the bucket that all callers of a rule share. */
    public static final String SHARED = "";

    private final Rule rule;
    private final String key;
    private final long permits;

    /** The permits per limit, by position; empty if all limits are charged the same. */
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
        this.key = Objects.requireNonNull(key, "key must not be null");
        this.permits = permits;
        this.costs = costs;
        this.reserve = reserve;
        this.maxWait = maxWait;
        this.maxWaiting = maxWaiting;
        this.refundable = refundable;
    }

    /**
     * Returns a copy that charges one limit a different number of permits, for example 2,000,000 of the limit "bytes"
     * and 1 of the others. A limit that is charged 0 neither counts nor rejects the request.
     *
     * @param limit the {@linkplain Limit#name() name} of the limit
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
     * Returns a copy that leaves {@code percent} of each limit, from 0 to 99, to other requests. Use it for requests
     * without priority. A request that {@linkplain #maxWait(Duration) waits} for the next fixed window may use all of
     * the current one.
     */
    public Charge reserve(int percent) {
        LimitChecks.range("reserve", percent, 0, 99);
        return new Charge(rule, key, permits, costs, percent, maxWait, maxWaiting, refundable);
    }

    /**
     * Returns a copy for a caller that waits up to {@code maxWait}, zero or more. Token buckets, paced leaky buckets
     * and fixed windows then grant a turn within that time; see {@link Decision#delay()}. Other limits decide as if the
     * caller did not wait; {@link RateLimiters#acquire} queues those requests.
     */
    public Charge maxWait(Duration maxWait) {
        LimitChecks.waiting(rule, maxWait, maxWaiting);
        return new Charge(rule, key, permits, costs, reserve, maxWait, maxWaiting, refundable);
    }

    /**
     * Returns a copy that is rejected while {@code maxWaiting} (0 or more) requests already wait for the same rule and
     * key on this instance.
     */
    public Charge maxWaiting(int maxWaiting) {
        LimitChecks.waiting(rule, maxWait, maxWaiting);
        return new Charge(rule, key, permits, costs, reserve, maxWait, maxWaiting, refundable);
    }

    /**
     * Returns a copy that may be refunded when the outcome of the request is known. A request that waits with such a
     * charge queues, and retries when another one is refunded.
     */
    public Charge refundable(boolean refundable) {
        return new Charge(rule, key, permits, costs, reserve, maxWait, maxWaiting, refundable);
    }

    public Rule rule() {
        return rule;
    }

    /** Returns the key that owns the permits, or {@link #SHARED} for the bucket that all callers share. */
    public String key() {
        return key;
    }

    /**
     * Returns the permits charged to each limit, or the largest number if they differ. 0 charges nothing and is always
     * permitted.
     */
    public long permits() {
        return permits;
    }

    /** Returns the permits charged to the limit at position {@code limit} of {@link Rule#limits()}. */
    public long permits(int limit) {
        return costs.isEmpty() ? permits : costs.get(limit);
    }

    /** Returns the percentage of each limit that this charge leaves to other requests. */
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
