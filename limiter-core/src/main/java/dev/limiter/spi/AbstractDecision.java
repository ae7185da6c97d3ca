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
 * Base class of decisions. Subclasses provide the state of each limit after the decision, by its position in {@link
 * Rule#limits()}; everything else is derived from that.
 */
public abstract class AbstractDecision extends Decision {

    /**
     * Returns the decision as an {@code AbstractDecision}, for access to the members that storages need.
     *
     * @throws IllegalArgumentException if it does not extend this class
     */
    public static AbstractDecision of(Decision decision) {
        if (decision instanceof AbstractDecision known) {
            return known;
        }
        throw new IllegalArgumentException(
                decision.getClass().getName() + " must extend " + AbstractDecision.class.getName());
    }

    /**
     * Combines decisions that were made together. The result is permitted if all are; otherwise the rejections decide.
     *
     * @param parts at least one
     */
    public static Decision allOf(List<? extends Decision> parts) {
        return parts.size() == 1 ? parts.get(0) : new CombinedDecision(parts, false);
    }

    /**
     * Combines decisions that several nodes made independently. Otherwise the same as {@link #allOf}.
     *
     * @param parts at least one
     */
    public static Decision allApart(List<? extends Decision> parts) {
        return parts.size() == 1 ? parts.get(0) : new CombinedDecision(parts, true);
    }

    /**
     * Returns a decision that this instance made with its share of the limits, because the storage is unavailable.
     *
     * @param rule the rule as requested
     * @param decision the decision on the same rule with the limits of the share
     */
    public static Decision onFailure(OnFailure how, Rule rule, Decision decision) {
        return new OnFailureDecision(how, rule, decision);
    }

    @Override
    public Optional<OnFailure> onFailure() {
        return Optional.empty();
    }

    /**
     * Returns whether the deciding state is shared by keys that did not fit into the storage. For several charges, this
     * describes the one that decided.
     */
    public boolean sharesState() {
        return false;
    }

    @Override
    public final Duration delay() {
        return Duration.ofNanos(delayNanos());
    }

    /** Returns the {@link #delay()} in nanoseconds, 0 or more. */
    protected long delayNanos() {
        return 0;
    }

    /** Returns when the request may proceed, in epoch nanoseconds of the storage's clock; a past time means at once. */
    public long turnNanos() {
        return Long.MIN_VALUE;
    }

    /** Returns whether several nodes decided independently ({@link #allApart}). */
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

    /** Returns the status of the limit at position {@code limit}. */
    protected LimitStatus status(int limit) {
        return status(limit, remaining(limit), waitNanos(limit), resetNanos(limit));
    }

    /** Returns the status of the limit at position {@code limit} with the given values. */
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

    /** Returns the permits left of a limit after the decision, 0 or more. */
    protected abstract long remaining(int limit);

    /**
     * Returns nanoseconds until a limit would permit the request; 0 if it did, or NEVER or UNKNOWN of {@link
     * CompiledLimit}.
     */
    protected abstract long waitNanos(int limit);

    /** Returns nanoseconds until a limit is unused, 0 or more, or UNKNOWN of {@link CompiledLimit}. */
    protected abstract long resetNanos(int limit);

    /** Returns the position of the limit that decided. */
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
