package dev.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answer to one request for permits: a snapshot of the moment at which it was decided. Compared by identity, since
 * {@link #giveBack()} and {@link #close()} belong to this one request. Thread-safe.
 *
 * <p>Storages extend it: they say where each limit of the rule stood, by its position in {@link Rule#limits()}; the
 * rest follows from that.
 */
public abstract class Decision implements AutoCloseable {

    /** Instead of nanoseconds to wait: the request asks for more than can ever be granted. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Instead of nanoseconds to wait: it depends on when others release what they hold. */
    public static final long UNKNOWN = Long.MAX_VALUE - 1;

    /**
     * Combines decisions that were made together: permitted if all of them permitted, else told by those that rejected.
     *
     * @param parts at least one
     */
    public static Decision allOf(List<? extends Decision> parts) {
        return parts.size() == 1 ? parts.get(0) : new CombinedDecision(parts, false);
    }

    /**
     * Combines decisions that were made each for itself, as those on a request that does not wait: turns that several
     * places give to one request would be apart. Otherwise as {@link #allOf}. For storages.
     *
     * @param parts at least one
     */
    public static Decision allApart(List<? extends Decision> parts) {
        return parts.size() == 1 ? parts.get(0) : new CombinedDecision(parts, true);
    }

    /**
     * A decision that was made by the share of one instance, since the storage could not be asked. For storages.
     *
     * @param rule as it was asked for
     * @param decision on the same rule with the limits of the share
     */
    public static Decision onFailure(OnFailure how, Rule rule, Decision decision) {
        return new OnFailureDecision(how, rule, decision);
    }

    /** Whether the request may go on. */
    public abstract boolean permitted();

    /**
     * How this was decided because the storage could not be asked; empty if it was. Of several charges it is that of
     * the one that decided, as {@link #rule}; {@link #parts} tell of each.
     */
    public Optional<OnFailure> onFailure() {
        return Optional.empty();
    }

    /**
     * Whether this was decided on a state that keys of the rule share, since there was no room for one of their own. Of
     * several charges it is that of the one that decided, as {@link #rule}.
     */
    public boolean sharesState() {
        return false;
    }

    /**
     * The rule that decided, as it was asked for; of several, the one that rejected for longest, or the tightest if all
     * permitted.
     */
    public abstract Rule rule();

    /**
     * How long to wait for one's turn before going on, as of the decision; zero if one may go at once. Only charges
     * that would wait ({@link Charge#within}) are permitted with a delay.
     */
    public Duration delay() {
        return Duration.ofNanos(delayNanos());
    }

    /** The {@link #delay()} in nanoseconds, 0 or more. */
    protected long delayNanos() {
        return 0;
    }

    /** See {@link #turnNanos()}. */
    protected long turn() {
        return Long.MIN_VALUE;
    }

    /** When the request may go on, in epoch nanoseconds of the storage's clock; a time in the past if at once. */
    public final long turnNanos() {
        return turn();
    }

    /** The key whose permits they are. */
    protected String key() {
        return Charge.SHARED;
    }

    /** Whether several places decided each for itself ({@link #allApart}). */
    public boolean isApart() {
        return false;
    }

    /** Whether the request asks for more than can ever be granted, so that waiting is of no use. */
    public final boolean never() {
        return waitNanos(deciding()) == NEVER;
    }

    /**
     * The permits that the deciding limit could still grant at that moment, without those that the request had to
     * {@linkplain Charge#keeping leave}, 0 or more.
     */
    public long remaining() {
        return remaining(deciding());
    }

    /**
     * The time from the decision until the same request would be permitted if no other comes, exactly: one nanosecond
     * earlier it is rejected. Empty when it was permitted, {@linkplain #never() never will be}, or depends on others
     * (concurrency).
     */
    public Optional<Duration> retryAfter() {
        return retry(waitNanos(deciding()));
    }

    /**
     * The time from the decision until the deciding limit is unused again, if no other request comes. Zero if that
     * depends on others (concurrency).
     */
    public final Duration resetAfter() {
        return reset(resetNanos(deciding()));
    }

    /**
     * The limit that decided: the one that rejected for longest, or the one with the least left if all permitted. While
     * several instances decide {@linkplain #onFailure() alone}, it is the share of this one.
     */
    public Limit limit() {
        return rule().limits().get(deciding());
    }

    /** The decisions on each rule and key of the request, in the order of the charges. */
    public List<Decision> parts() {
        return List.of(this);
    }

    /** Where each limit of the request stood, in the order of its rules and their limits. */
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

    /**
     * Returns the permits that this decision took, as far as they still count: never beyond full, never into a later
     * window; and {@linkplain #close() releases} those that it holds. The second call and any call on a rejected
     * decision do nothing.
     */
    public abstract void giveBack();

    /** Releases what this decision holds of a concurrency limit, once; of other limits it holds nothing. */
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
        return nanos == UNKNOWN ? Duration.ZERO : Duration.ofNanos(nanos);
    }

    private static Optional<Duration> retry(long wait) {
        return wait <= 0 || wait >= UNKNOWN ? Optional.empty() : Optional.of(Duration.ofNanos(wait));
    }

    @Override
    public String toString() {
        return (permitted() ? "permitted by " : "rejected by ") + rule().name() + " " + limits();
    }
}
