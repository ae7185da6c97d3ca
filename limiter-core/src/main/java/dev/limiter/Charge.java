package dev.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What one rule is asked for: so many permits of a key.
 *
 * @param key whose permits; {@link #SHARED} for the one bucket that all share
 * @param permits how many, 0 or more; 0 charges nothing and is always permitted
 * @param keptPercent the share of each limit's capacity that must be left for others, in percent from 0 to 99: what a
 *     request without priority cannot have; rounded down to whole permits
 * @param maxWait how long the request would wait for its turn, zero or more; see {@link #within}
 * @param maxWaiting how many may wait for the same rule and key at the same time on this instance, 0 or more
 */
public record Charge(Rule rule, String key, long permits, int keptPercent, Duration maxWait, int maxWaiting) {

    /** The key of a bucket that all callers of a rule share. */
    public static final String SHARED = "";

    public Charge {
        if (permits < 0) {
            throw new IllegalArgumentException(
                    "permits is " + permits + " for rule \"" + rule.name() + "\", but must be 0 or more");
        }
        if (maxWaiting < 0 || maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait is " + maxWait + " and maxWaiting " + maxWaiting
                    + " for rule \"" + rule.name() + "\", but none may be negative");
        }
        LimitChecks.range("keptPercent", keptPercent, 0, 99);
    }

    public Charge(Rule rule, String key, long permits) {
        this(rule, key, permits, 0, Duration.ZERO, Integer.MAX_VALUE);
    }

    /**
     * The same by somebody who would wait for so long: decided now, for a turn that comes within that time ({@link
     * Decision#delay()}), where the limits of the rule know turns: token bucket, paced leaky bucket, the next of fixed
     * windows. Others refuse as if nobody waited.
     */
    public Charge within(Duration maxWait) {
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting);
    }

    /** The same, refused if so many wait already. */
    public Charge waitingAtMost(int maxWaiting) {
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting);
    }

    /** The same by somebody who must leave that share of each limit for others, in percent from 0 to 99. */
    public Charge keeping(int keptPercent) {
        return new Charge(rule, key, permits, keptPercent, maxWait, maxWaiting);
    }

    /**
     * The same charges with one for all of the same rule and key, or each would be asked as if the others were not there:
     * the permits of all, on the strictest terms. For storages.
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
        long sum = permits + other.permits;
        return new Charge(
                rule,
                key,
                sum < 0 ? Long.MAX_VALUE : sum,
                Math.max(keptPercent, other.keptPercent),
                maxWait.compareTo(other.maxWait) < 0 ? maxWait : other.maxWait,
                Math.min(maxWaiting, other.maxWaiting));
    }

    /** Whether more is asked than whether the permits can be had now. */
    public boolean isPlain() {
        return keptPercent == 0 && maxWait.isZero();
    }
}
