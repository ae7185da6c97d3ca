package dev.limiter.spi;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Base class of decisions. Storages extend it with the state of each limit at the moment of the decision, by its position
 * in {@link Rule#limits()}; the rest follows from that.
 */
public abstract class AbstractDecision extends Decision {

    /** The same decision, for what only storages and those that ask them need. */
    public static AbstractDecision of(Decision decision) {
        if (decision instanceof AbstractDecision known) {
            return known;
        }
        throw new IllegalArgumentException(
                decision.getClass().getName() + " must extend " + AbstractDecision.class.getName());
    }

    /**
     * Combines decisions that were made together: permitted if all of them permitted, else decided by those that
     * rejected.
     *
     * @param parts at least one
     */
    public static Decision allOf(List<? extends Decision> parts) {
        return parts.size() == 1 ? parts.get(0) : new CombinedDecision(parts, false);
    }

    /**
     * Combines decisions that several nodes made each for itself. Otherwise as {@link #allOf}.
     *
     * @param parts at least one
     */
    public static Decision allApart(List<? extends Decision> parts) {
        return parts.size() == 1 ? parts.get(0) : new CombinedDecision(parts, true);
    }

    /**
     * A decision that was made by the share of one instance, since the storage is unavailable.
     *
     * @param rule as it was asked for
     * @param decision on the same rule with the limits of the share
     */
    public static Decision onFailure(OnFailure how, Rule rule, Decision decision) {
        return new OnFailureDecision(how, rule, decision);
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return Optional.empty();
    }

    /**
     * Returns whether keys of the rule share the state that decided, since there was no room for one of their own. For
     * several charges it is that of the one that decided.
     */
    public boolean sharesState() {
        return false;
    }

    @Override
    public final Duration delay() {
        return Duration.ofNanos(delayNanos());
    }

    /** The {@link #delay()} in nanoseconds, 0 or more. */
    protected long delayNanos() {
        return 0;
    }

    /** When the request may go on, in epoch nanoseconds of the storage's clock; a time in the past if at once. */
    public long turnNanos() {
        return Long.MIN_VALUE;
    }

    /** Returns whether several nodes decided each for itself ({@link #allApart}). */
    public boolean isApart() {
        return false;
    }

    @Override
    public final boolean never() {
        return waitNanos(deciding()) == CompiledLimit.NEVER;
    }

    @Override
    public long remaining() {
        return remaining(deciding());
    }

    @Override
    public final Optional<Duration> retryAfter() {
        return retry(waitNanos(deciding()));
    }

    @Override
    public final Duration resetAfter() {
        return reset(resetNanos(deciding()));
    }

    @Override
    public Limit limit() {
        return rule().limits().get(deciding());
    }

    @Override
    public List<Decision> parts() {
        return List.of(this);
    }

    @Override
    public List<LimitStatus> limits() {
        List<Limit> limits = rule().limits();
        if (limits.size() == 1) {
            return List.of(status(0));
        }
        List<LimitStatus> statuses = new ArrayList<>(limits.size());
        for (int i = 0; i < limits.size(); i++) {
            statuses.add(status(i));
        }
        return statuses;
    }

    /** Where the limit at that position stood. */
    protected LimitStatus status(int limit) {
        return status(limit, remaining(limit), waitNanos(limit), resetNanos(limit));
    }

    /** Where the limit at that position stood, by the values of the methods of these names. */
    protected final LimitStatus status(int limit, long remaining, long waitNanos, long resetNanos) {
        Rule rule = rule();
        return new LimitStatus(
                rule.policies().get(limit),
                rule.limits().get(limit),
                waitNanos == 0,
                remaining,
                retry(waitNanos),
                reset(resetNanos));
    }

    @Override
    public void close() {}

    /** The permits left of the limit at that position after the decision, 0 or more. */
    protected abstract long remaining(int limit);

    /** Nanoseconds until the limit at that position would permit the request; 0 if it did; or NEVER, or UNKNOWN. */
    protected abstract long waitNanos(int limit);

    /** Nanoseconds until nothing used counts any longer for the limit at that position, 0 or more; or UNKNOWN. */
    protected abstract long resetNanos(int limit);

    /** The position of the limit that decided. */
    protected int deciding() {
        int deciding = 0;
        long longest = waitNanos(0);
        long least = remaining(0);
        for (int i = 1, n = rule().limits().size(); i < n; i++) {
            long wait = waitNanos(i);
            long remaining = remaining(i);
            if (wait > longest || wait == longest && remaining < least) {
                deciding = i;
                longest = wait;
                least = remaining;
            }
        }
        return deciding;
    }

    private static Duration reset(long nanos) {
        return nanos == CompiledLimit.UNKNOWN ? Duration.ZERO : Duration.ofNanos(nanos);
    }

    private static Optional<Duration> retry(long wait) {
        return wait <= 0 || wait >= CompiledLimit.UNKNOWN ? Optional.empty() : Optional.of(Duration.ofNanos(wait));
    }

    @Override
    public String toString() {
        return (permitted() ? "permitted by " : "rejected by ") + rule().name() + " " + limits();
    }
}
