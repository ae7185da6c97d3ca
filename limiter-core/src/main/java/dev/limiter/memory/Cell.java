package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.spi.LimitState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The use of one key under one version of a rule's limits. A cell dies when it is fresh again, evicted or reset, or
 * when the limits change. Death is one compare-and-set on the word that every change goes through, so a change and a
 * death can never both succeed: a late request starts again with the cell then in the map.
 *
 * <p>A time read before the word is good for a decision: permits count as of a moment ago, as they do for a thread
 * suspended before the swap. It cannot tell that the clock stepped back, because the reading thread may have been
 * suspended while others went on: that takes a reading after the word.
 */
abstract class Cell {

    /** The word of a dead cell. */
    static final long DEAD = Long.MIN_VALUE;

    private static final VarHandle WORD;
    private static final VarHandle HISTORY;
    private static final VarHandle ORIGINS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WORD = lookup.findVarHandle(Cell.class, "word", long.class);
            HISTORY = lookup.findVarHandle(Cell.class, "history", History.class);
            ORIGINS = lookup.findVarHandle(Cell.class, "origins", CounterIdentity[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final BoundRule bound;
    final String key;

    /** Where the use of each limit began; null if all of it began here, and no cell goes on from it so far. */
    private volatile CounterIdentity @Nullable [] origins;

    private volatile @Nullable History history;

    @SuppressWarnings("FieldMayBeFinal") // changed through WORD
    private volatile long word;

    // The place of this cell: EvictionQueues writes these fields under its lock, other threads may read them.

    volatile ExpiryQueue.@Nullable Tick tick;

    @Nullable
    Cell previous;

    @Nullable
    Cell next;

    int slot = EvictionCandidates.NEW;

    /** {@code predecessor}: the cell whose use this one takes over; null for a fresh one. */
    Cell(BoundRule bound, String key, long word, @Nullable Cell predecessor) {
        this.bound = bound;
        this.key = key;
        this.word = word;
        this.origins = predecessor == null ? null : CounterIdentity.of(bound, predecessor);
        this.history = predecessor == null ? null : predecessor.history;
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

    /** Dies, if the word is still the one that was read before, and no thread is about to change it. */
    abstract boolean die(long word);

    /** Whether keys share it for which there is no room: it is not counted, and not evicted. */
    @SuppressWarnings("ReferenceEquality") // a client may send an equal key
    final boolean isShared() {
        return key == Cells.SHARED;
    }

    final boolean isDead() {
        return word == DEAD;
    }

    /** Where the use of the limit at {@code index} began. */
    final CounterIdentity origin(int index) {
        return origins()[index];
    }

    private CounterIdentity[] origins() {
        CounterIdentity[] known = origins;
        if (known != null) {
            return known;
        }
        CounterIdentity[] created = CounterIdentity.fresh(bound.size());
        return ORIGINS.compareAndSet(this, null, created) ? created : origins();
    }

    /** How many permits of this key were returned so far, at most. */
    final long returned() {
        History known = history;
        return known == null ? 0 : known.returned();
    }

    /** The permits {@link #returned} of each limit, for the holder of the lock. */
    final long[] returnedOfEach() {
        History known = history;
        return known == null
                ? new long[bound.size()]
                : known.returnedOfEach(bound).clone();
    }

    /** The longest wait that was granted to a request of this key or carried over from other limits, in nanoseconds. */
    final long longestWait() {
        History known = history;
        return known == null ? 0 : known.longestWait();
    }

    final History history() {
        History known = history;
        if (known != null) {
            return known;
        }
        History created = new History();
        return HISTORY.compareAndSet(this, null, created) ? created : history();
    }

    /** Notes what is about to be returned, before it is: requests that do not see it noted must not see it returned. */
    final void returning(PermitReturn returned) {
        long moved = returned.moves();
        if (moved > 0) {
            history().returning(moved);
        }
    }

    /**
     * Decides for one permit or more; null if the cell is dead, or its arithmetic does not reach the time.
     *
     * @param now the time, read before anything of the cell was; only of use where each state is a number
     */
    abstract @Nullable Decision decide(long permits, long now, TimeSource clock);

    /** Decides on other terms; null in the same cases. */
    abstract @Nullable Decision reserve(ChargeTerms terms, TimeSource clock);

    /** The answer of {@link #reserve}, changing nothing; null in the same cases. */
    abstract @Nullable Decision peek(ChargeTerms terms, TimeSource clock);

    /**
     * The answer of a successor under other limits, changing nothing; null if the cell is dead, or its arithmetic does
     * not reach the time.
     */
    abstract @Nullable Decision peekUnder(BoundRule next, ChargeTerms terms, TimeSource clock);

    /**
     * The rejection under smaller limits, decided on this cell: a successor would forget the excess, and the next request
     * under the present limits could take it again. Null once a successor has to decide.
     */
    final @Nullable Decision rejectUnder(BoundRule next, ChargeTerms terms, TimeSource clock) {
        Decision answer = bound.holdsMoreThan(next) ? peekUnder(next, terms, clock) : null;
        return answer == null || answer.permitted() ? null : answer;
    }

    /** Returns permits that were taken of this cell, or of one that it goes on from; false if it is dead. */
    abstract boolean giveBack(PermitReturn returned, TimeSource clock);

    /** Dies; false if it was dead. */
    abstract boolean kill();

    /** Dies for a successor under those limits, which takes over what this cell used; null if it was dead. */
    abstract @Nullable Cell succeed(BoundRule wanted, TimeSource clock);

    /** Notes what a cell was made with that has used something by now. */
    void note(long now) {}

    /** When it becomes indistinguishable from a new one, going by a word that was read before. */
    abstract long freshAt(long word);

    /** When one permit can be had again, going by a word that was read before; not after {@code now} if now. */
    abstract long freeAt(long word, long now);

    /** The used share of its tightest limit, from 0 to 1, going by a word that was read before. */
    abstract double usedShare(long word, long now);

    /**
     * A cell that takes over this use: under the wanted limits, or under the present ones while the wanted limits would
     * forget use (see {@link #rejectUnder}).
     */
    final Cell successor(BoundRule wanted, LimitState[] used, long now) {
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
