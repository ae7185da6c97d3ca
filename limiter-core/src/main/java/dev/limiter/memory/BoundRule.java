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

/** A rule with its arithmetic compiled and its cells found: what a cell keeps as the version of its limits. */
final class BoundRule {

    final Rule rule;
    final Cells cells;

    /** The arithmetic of all limits; null if one of them is of another kind. */
    final SingleNumberLimit @Nullable [] numbers;

    /** The arithmetic of the rule's only limit; null if it has several, or one of another kind. */
    final @Nullable SingleNumberLimit number;

    /** {@link #number} for a limit of the other kind. */
    final @Nullable SlidingWindowLimit window;

    private final Cells.Stripe[] stripes;
    private final CompiledLimit[] limits;

    /** The most permits that one request can ever get from all limits. */
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

    /** The cell of a key, under whichever version of the limits; {@link Cells#get} without a dependent load. */
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
     * Whether more is asked than can ever be granted. {@code terms}: null if so many of each limit, and nothing else.
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

    /** A state of a {@link #window} limit that takes longer to be fresh may have to move back with the clock. */
    long longestReset() {
        return longestReset;
    }

    /** The longest wait that a charge admits and all limits can count with, in nanoseconds: all have the same. */
    long maxWait(ChargeTerms terms) {
        return Math.min(terms.maxWait(), longestWait);
    }

    /** Whether a permit of the limit at {@code index} is held until it is released. */
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

    /** The limit of another version of this rule from which the limit at {@code index} goes on, or -1. */
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

    /**
     * Whether a limit of this version holds more than its successor, and would have to forget what that cannot hold.
     */
    boolean holdsMoreThan(BoundRule next) {
        for (int i = 0; i < next.size(); i++) {
            int previous = next.predecessor(i, this);
            if (previous >= 0 && excess(limits[previous], next.limits[i]) > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether the successor cannot hold what these states have used by now. */
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
     * The permits that the next limit cannot hold. Zero for window limits, whose states keep an excess; for paced limits,
     * whose use is a wait; and for a shorter window: the next limit then counts what it can hold, so that the wait is its own.
     */
    private static long excess(CompiledLimit from, CompiledLimit to) {
        boolean clipped = from instanceof SingleNumberLimit && from.atOnce() == from.capacity();
        return clipped && !isShorter(from, to) ? Math.max(from.capacity() - to.capacity(), 0) : 0;
    }

    private static boolean isShorter(CompiledLimit from, CompiledLimit to) {
        return to.limit().window().compareTo(from.limit().window()) < 0;
    }

    /** Whether the limit at {@code index} goes on from another one and forgets the permits that it cannot hold. */
    boolean forgetsExcess(int index, CompiledLimit from) {
        return limits[index].capacity() < from.capacity() && isShorter(from, limits[index]);
    }

    /** See {@link Cell#peekUnder}; {@code used} are the states of a key under this version. */
    Decision answerUnder(BoundRule next, String key, LimitState[] used, ChargeTerms terms, long now) {
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
                // rejected until it fits, as this version counts; be it only because of other limits that there is no
                // next
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

    /** A cell of which nothing is used. */
    Cell newCell(String key) {
        return newCell(key, newStates(), null);
    }

    /** A cell that goes on from what was used under {@code predecessor}. */
    Cell newCell(String key, LimitState[] used, @Nullable Cell predecessor) {
        if (numbers == null) {
            return new LockedCell(this, key, used, predecessor);
        }
        return number != null
                ? new NumberCell(this, key, (NumberState) used[0], predecessor)
                : new SeveralNumbersCell(this, numbers, key, used, predecessor);
    }
}
