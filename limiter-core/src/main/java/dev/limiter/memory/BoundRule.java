package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.SlidingWindowLimit;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A rule with its compiled limits and its cells. Each cell refers to the version of the limits that it uses. */
final class BoundRule {

    final Rule rule;
    final Cells cells;

    /** The compiled limits; null unless all are single-number limits. */
    final SingleNumberLimit @Nullable [] numbers;

    /** The compiled limit if it is the only one and a single-number limit; otherwise null. */
    final @Nullable SingleNumberLimit number;

    /** The compiled limit if it is the only one and a sliding window; otherwise null. */
    final @Nullable SlidingWindowLimit window;

    private final Cells.Stripe[] stripes;
    private final CompiledLimit[] limits;

    /** The most permits that one request can get from all limits. */
    private final long capacity;

    private final long longestReset;
    private final long longestWait;
    private final boolean holds;

    BoundRule(Rule rule, CompiledLimit[] limits, Cells cells) {
        this.rule = rule;
        this.limits = limits;
        this.cells = cells;
        this.stripes = cells.stripes();
        boolean numbers = Stream.of(limits).allMatch(SingleNumberLimit.class::isInstance);
        this.numbers = numbers ? Arrays.copyOf(limits, limits.length, SingleNumberLimit[].class) : null;
        this.number = limits.length == 1 && limits[0] instanceof SingleNumberLimit only ? only : null;
        this.window = limits.length == 1 && limits[0] instanceof SlidingWindowLimit only ? only : null;
        long smallest = Long.MAX_VALUE;
        for (CompiledLimit limit : limits) {
            smallest = Math.min(smallest, limit.capacity());
        }
        this.capacity = smallest;
        this.holds = rule.limits().stream().anyMatch(Limit.Concurrency.class::isInstance);
        long window = rule.limits().get(0).window().toNanos();
        this.longestReset = window + window / 2;
        this.longestWait =
                Stream.of(limits).mapToLong(CompiledLimit::longestWait).min().orElse(Long.MAX_VALUE);
    }

    /**
     * Returns the cell of a key under any version of the limits, like {@link Cells#get} but without a dependent load.
     */
    @Nullable
    Cell find(String key) {
        return Cells.stripe(stripes, key).get(key);
    }

    int size() {
        return limits.length;
    }

    CompiledLimit limit(int index) {
        return limits[index];
    }

    /**
     * Returns whether a request exceeds what can ever be granted. {@code terms}: null if {@code permits} apply to each
     * limit.
     */
    boolean isNever(long permits, @Nullable ChargeTerms terms) {
        if (terms == null || terms.costs() == null) {
            return permits > capacity;
        }
        for (int i = 0; i < limits.length; i++) {
            if (terms.permits(i) > limits[i].capacity()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the longest reset time of a {@link #window} limit. Beyond it, the state may have to move back with the
     * clock.
     */
    long longestReset() {
        return longestReset;
    }

    /** Returns the longest wait in nanoseconds that both the charge and all limits allow. */
    long maxWait(ChargeTerms terms) {
        return Math.min(terms.maxWait(), longestWait);
    }

    /** Returns whether permits of the limit at {@code index} are held until released. */
    boolean holds(int index) {
        return limits[index].limit() instanceof Limit.Concurrency;
    }

    boolean holds() {
        return holds;
    }

    boolean covers(long now) {
        for (CompiledLimit limit : limits) {
            if (!limit.covers(now)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the position of the limit in {@code other} that the limit at {@code index} continues, or -1. */
    int predecessor(int index, BoundRule other) {
        if (limits.length == 1 && other.limits.length == 1) {
            return 0;
        }
        for (int i = 0; i < other.limits.length; i++) {
            if (other.limits[i].limit().name().equals(limits[index].limit().name())) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether a limit of this version holds more than its successor, which would have to drop the excess. */
    boolean holdsMoreThan(BoundRule next) {
        for (int i = 0; i < next.size(); i++) {
            int previous = next.predecessor(i, this);
            if (previous >= 0 && excess(limits[previous], next.limits[i]) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the successor cannot hold what these states have used. */
    boolean forgets(BoundRule next, LimitState[] used, long now) {
        if (!holdsMoreThan(next) || !covers(now)) {
            return false;
        }
        for (int i = 0; i < next.size(); i++) {
            int previous = next.predecessor(i, this);
            long excess = previous < 0 ? 0 : excess(limits[previous], next.limits[i]);
            if (excess > 0 && used[previous].waitNanos(now, excess) > 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the permits that the next limit cannot hold. Zero for window limits, which keep an excess, and for
     * paced limits, where use is a wait. Also zero if the window becomes shorter: the wait is then that of the next
     * limit.
     */
    private static long excess(CompiledLimit from, CompiledLimit to) {
        boolean clipped = from instanceof SingleNumberLimit && from.atOnce() == from.capacity();
        return clipped && !isShorter(from, to) ? Math.max(from.capacity() - to.capacity(), 0) : 0;
    }

    private static boolean isShorter(CompiledLimit from, CompiledLimit to) {
        return to.limit().window().compareTo(from.limit().window()) < 0;
    }

    /** Returns whether the limit at {@code index} continues another one and drops permits that it cannot hold. */
    boolean forgetsExcess(int index, CompiledLimit from) {
        return limits[index].capacity() < from.capacity() && isShorter(from, limits[index]);
    }

    /** Implements {@link Cell#peekUnder}; {@code used} contains the states of a key under this version. */
    Decision peekUnder(BoundRule next, String key, LimitState[] used, ChargeTerms terms, long now) {
        Readings readings = new Readings(next.size());
        boolean permitted = true;
        long maxWait = next.maxWait(terms);
        long delay = 0;
        for (int i = 0; i < next.size(); i++) {
            CompiledLimit limit = next.limits[i];
            boolean takes = terms.permits(i) > 0;
            int previous = next.predecessor(i, this);
            LimitState state = limit.newState();
            LimitState counting = state;
            long excess = 0;
            if (previous >= 0) {
                state.carry(used[previous], limits[previous], now);
                excess = excess(limits[previous], limit);
            }
            long needed = terms.needed(i, limit);
            long wait = takes ? state.admissionNanos(now, needed, maxWait) : 0;
            boolean forgets = excess > 0 && used[previous].waitNanos(now, excess) > 0;
            if (terms.permits() > 0 && wait != CompiledLimit.NEVER && (forgets || excess > 0 && wait > 0)) {
                // rejected until the excess fits, as this version counts
                counting = used[previous];
                wait = counting.waitNanos(now, excess + needed);
            }
            permitted &= wait == 0;
            delay = permitted && takes ? Math.max(delay, state.waitNanos(now, needed)) : delay;
            readings.waitNanos(i, wait);
            readings.remaining(i, Math.max(state.remaining(now) - terms.kept(limit), 0));
            readings.resetNanos(i, NumberCell.resetNanos(counting.freshAt(now), now));
        }
        readings.delayNanos(permitted ? delay : 0);
        return SnapshotDecision.of(next.newCell(key), permitted, readings);
    }

    LimitState[] newStates() {
        LimitState[] states = new LimitState[limits.length];
        for (int i = 0; i < limits.length; i++) {
            states[i] = limits[i].newState();
        }
        return states;
    }

    /** Creates an unused cell. */
    Cell newCell(String key) {
        return newCell(key, newStates(), null);
    }

    /** Creates a cell that takes over what was used under {@code predecessor}. */
    Cell newCell(String key, LimitState[] used, @Nullable Cell predecessor) {
        if (numbers == null) {
            return new LockedCell(this, key, used, predecessor);
        }
        return number != null
                ? new NumberCell(this, key, (NumberState) used[0], predecessor)
                : new SeveralNumbersCell(this, numbers, key, used, predecessor);
    }
}
