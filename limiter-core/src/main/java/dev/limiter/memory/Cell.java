package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.LimitState;
import dev.limiter.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What one key used under one version of a rule's limits, until it dies: because it is fresh again, had to leave, was
 * reset, or the limits changed. Death is one compare-and-set on the word that every change goes through, so a change and
 * a death can never both succeed: whoever comes too late starts again with the cell that is in the map by then.
 *
 * <p>A time that was read before the word is good for a decision: what is taken counts as of a moment ago, as it does
 * for whoever stands still before the swap. It is not good for telling that the clock stepped back: the one who read it
 * may have stood still while others went on. That takes a reading after the word.
 */
abstract class Cell {

    /** The word of a dead cell. */
    static final long DEAD = Long.MIN_VALUE;

    private static final VarHandle WORD;
    private static final VarHandle INDEXED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORD = lookup.findVarHandle(Cell.class, "word", long.class);
            INDEXED = lookup.findVarHandle(Cell.class, "indexed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final BoundRule bound;
    final String key;

    /** The first of the cells that succeeded each other here: what they used is one history. */
    private final Cell first;

    @SuppressWarnings("FieldMayBeFinal") // changed through WORD
    private volatile long word;

    @SuppressWarnings("FieldMayBeFinal") // changed through INDEXED
    private volatile boolean indexed;

    /** {@code predecessor}: the cell whose use this one takes over; null for a fresh one, which its maker indexes. */
    Cell(BoundRule bound, String key, long word, @Nullable Cell predecessor) {
        this.bound = bound;
        this.key = key;
        this.first = predecessor == null ? this : predecessor.first;
        this.word = word;
        this.indexed = predecessor == null;
    }

    final long word() {
        return word;
    }

    final boolean swap(long expected, long next) {
        return WORD.compareAndSet(this, expected, next);
    }

    final void release(long next) {
        WORD.setRelease(this, next);
    }

    /** Dies, if the word is still the one that was read before, and nobody is about to change it. */
    abstract boolean die(long word);

    final boolean isDead() {
        return word == DEAD;
    }

    /** Whether this cell goes on from what that one used. */
    final boolean continues(Cell other) {
        return first == other.first;
    }

    /** Whether the caller is the one who has to put this cell on the time axis. */
    final boolean claimIndex() {
        return !indexed && INDEXED.compareAndSet(this, false, true);
    }

    /**
     * Decides for one permit or more; null if the cell is dead, or its arithmetic does not reach the time.
     *
     * @param now the time, read before anything of the cell was; only of use where each state is a number
     */
    abstract @Nullable Decision decide(long permits, long now, TimeSource clock);

    /** Decides on other terms; null in the same cases. */
    abstract @Nullable Decision reserve(Terms terms, TimeSource clock);

    /** What {@link #reserve} would answer, changing nothing; null in the same cases. */
    abstract @Nullable Decision peek(Terms terms, TimeSource clock);

    /**
     * What a successor under other limits would answer, changing nothing; null if the cell is dead, or its arithmetic does
     * not reach the time.
     */
    abstract @Nullable Decision peekUnder(BoundRule next, Terms terms, TimeSource clock);

    /**
     * The same as long as the other limits refuse, and hold less than these: a successor under them would forget what it
     * cannot hold, and whoever is asked under these limits next could take it again. Until a request fits, what was used
     * goes on to count as it did when it was taken. Null if a successor has to decide.
     */
    final @Nullable Decision refuseUnder(BoundRule next, Terms terms, TimeSource clock) {
        Decision answer = bound.holdsMoreThan(next) ? peekUnder(next, terms, clock) : null;
        return answer == null || answer.permitted() ? null : answer;
    }

    /** Returns permits; false if the cell is dead. {@code marks} are those of a decision under {@code takenUnder}. */
    abstract boolean giveBack(BoundRule takenUnder, long[] marks, long permits, TimeSource clock);

    /** Dies, and returns what it used; null if it was dead. */
    abstract LimitState @Nullable [] kill();

    /** Notes what a cell was made with that has used something by now. */
    void note(long now) {}

    /** When it becomes indistinguishable from a new one, going by a word that was read before. */
    abstract long freshAt(long word);

    /** When one permit can be had again, going by a word that was read before; not after {@code now} if now. */
    abstract long freeAt(long word, long now);

    /**
     * A successor under other limits that has used what this one used; this one dies. Null if it was dead. Under the same
     * limits as before if by now those others would have to forget something: see {@link #refuseUnder}.
     */
    final @Nullable Cell succeed(BoundRule wanted, TimeSource clock) {
        LimitState[] used = kill();
        if (used == null) {
            return null;
        }
        long now = clock.epochNanos();
        BoundRule next = bound.forgets(wanted, used, now) ? bound : wanted;
        LimitState[] states = next.newStates();
        for (int i = 0; i < states.length; i++) {
            int previous = next.predecessor(i, bound);
            if (previous >= 0) {
                states[i].carry(used[previous], bound.limit(previous), now);
            }
        }
        Cell successor = next.newCell(key, states, this);
        successor.note(now);
        return successor;
    }
}
