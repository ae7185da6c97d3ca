package dev.limiter.memory;

import dev.limiter.CompiledLimit;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.NumberState;
import dev.limiter.Rule;
import dev.limiter.WindowLimit;
import org.jspecify.annotations.Nullable;

/** A rule with its arithmetic compiled and its states found: what a cell keeps as the version of its limits. */
final class BoundRule {

    /** A mark that nothing was taken under. */
    private static final long NO_MARK = -(1L << 62);

    final Rule rule;
    final States states;

    /** The arithmetic of the rule's only limit; null if it has several, or one of the other kind. */
    final @Nullable NumberLimit number;

    final @Nullable WindowLimit window;

    private final CompiledLimit[] limits;
    private final long capacity;
    private final long longestReset;

    BoundRule(Rule rule, CompiledLimit[] limits, States states) {
        this.rule = rule;
        this.limits = limits;
        this.states = states;
        this.number = limits.length == 1 && limits[0] instanceof NumberLimit only ? only : null;
        this.window = limits.length == 1 && limits[0] instanceof WindowLimit only ? only : null;
        long smallest = Long.MAX_VALUE;
        for (CompiledLimit limit : limits) {
            smallest = Math.min(smallest, limit.capacity());
        }
        this.capacity = smallest;
        this.longestReset = 2 * rule.limits().get(0).window().toNanos();
    }

    int size() {
        return limits.length;
    }

    CompiledLimit limit(int index) {
        return limits[index];
    }

    /** The most permits that one request can ever get from all limits. */
    long capacity() {
        return capacity;
    }

    /** No state of a {@link #window} limit can take longer to be fresh, unless the clock stepped back. */
    long longestReset() {
        return longestReset;
    }

    boolean covers(long now) {
        for (CompiledLimit limit : limits) {
            if (!limit.covers(now)) {
                return false;
            }
        }
        return true;
    }

    /** Which limit of another version of this rule the limit at {@code index} goes on from, or -1. */
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
     * The mark of what was taken under this version, as the limit at {@code index} of {@code other} has to see it:
     * numbers mean something else under each version, times do not.
     */
    long markUnder(BoundRule other, int index, long[] marks, long now) {
        if (other == this) {
            return marks[index];
        }
        int previous = other.predecessor(index, this);
        CompiledLimit limit = other.limits[index];
        if (previous >= 0 && limits[previous] instanceof NumberLimit from && limit instanceof NumberLimit to) {
            return to.carry(from, new NumberState(from, marks[previous]), now);
        }
        boolean time = previous >= 0 && limits[previous] instanceof WindowLimit && limit instanceof WindowLimit;
        return time ? marks[previous] : NO_MARK;
    }

    LimitState[] newStates() {
        LimitState[] states = new LimitState[limits.length];
        for (int i = 0; i < limits.length; i++) {
            states[i] = limits[i].newState();
        }
        return states;
    }

    /** A cell of which nothing is used. */
    Cell newCell(String key, boolean indexed) {
        return number != null
                ? new NumberCell(this, number, key, number.fresh(), indexed)
                : new LockedCell(this, key, newStates(), indexed);
    }
}
