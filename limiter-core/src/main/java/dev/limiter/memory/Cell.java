package dev.limiter.memory;

import dev.limiter.Decision;
import dev.limiter.TimeSource;
import dev.limiter.spi.LimitState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The permits that one key has used under one version of a rule's limits. A cell dies when it expires, is evicted or reset, or when
 * the limits change. Every change and the death are a compare-and-set on the same word, so they cannot both succeed: a
 * late request starts again with the cell that is then in the map.
 *
 * <p>A time that was read before the word is good enough for a decision: permits then count as of a moment ago. It
 * cannot show that the clock stepped back, because the reading thread may have been suspended. That requires a reading
 * after the word was read.
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

    /** The identity of each limit's count; null if they all began here and no cell has continued them yet. */
    private volatile CounterIdentity @Nullable [] origins;

    private volatile @Nullable History history;

    @SuppressWarnings("FieldMayBeFinal") // changed through WORD
    private volatile long word;

    // The position of this cell. Written by EvictionQueues under its lock; other threads may read it.

    volatile ExpiryQueue.@Nullable Tick tick;

    @Nullable
    Cell previous;

    @Nullable
    Cell next;

    int slot = EvictionCandidates.NEW;

    /** Creates a cell; {@code predecessor} is the cell that it continues, or null. */
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

    /** Marks this cell as dead if the word is unchanged and no thread is about to change it; returns whether it did. */
    abstract boolean die(long word);

    /** Returns whether this is the shared cell of keys that did not fit. It is neither counted nor evicted. */
    @SuppressWarnings("ReferenceEquality") // a client may send an equal key
    final boolean isShared() {
        return key == Cells.SHARED;
    }

    final boolean isDead() {
        return word == DEAD;
    }

    /** Returns the identity of the count of the limit at {@code index}. */
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

    /** Returns an upper bound of the permits of this key that were returned. */
    final long returned() {
        History known = history;
        return known == null ? 0 : known.returned();
    }

    /** Returns {@link #returned} for each limit; requires the lock. */
    final long[] returnedOfEach() {
        History known = history;
        return known == null
                ? new long[bound.size()]
                : known.returnedOfEach(bound).clone();
    }

    /** Returns the longest wait in nanoseconds that was granted to this key or carried over from other limits. */
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

    /** Records a return before it happens. A request that does not see the record must not see the return either. */
    final void returning(PermitReturn returned) {
        long moved = returned.moves();
        if (moved > 0) {
            history().returning(moved);
        }
    }

    /**
     * Decides on one or more permits. Returns null if the cell is dead, or its arithmetic does not cover the time.
     *
     * @param now the time, read before anything of the cell; used only for single-number states
     */
    abstract @Nullable Decision decide(long permits, long now, TimeSource clock);

    /** Decides on other terms; returns null in the same cases as {@link #decide}. */
    abstract @Nullable Decision reserve(ChargeTerms terms, TimeSource clock);

    /** Returns the decision that {@link #reserve} would make, without changing anything; null in the same cases. */
    abstract @Nullable Decision peek(ChargeTerms terms, TimeSource clock);

    /**
     * Returns the decision that a successor under other limits would make, without changing anything. Returns null if
     * the cell is dead, or its arithmetic does not cover the time.
     */
    abstract @Nullable Decision peekUnder(BoundRule next, ChargeTerms terms, TimeSource clock);

    /**
     * Returns a rejection under smaller limits, or null if a successor has to decide. Rejecting here avoids a
     * successor, which would drop the excess, so that the next request under the present limits could take it again.
     */
    final @Nullable Decision rejectUnder(BoundRule next, ChargeTerms terms, TimeSource clock) {
        Decision peeked = bound.holdsMoreThan(next) ? peekUnder(next, terms, clock) : null;
        return peeked == null || peeked.permitted() ? null : peeked;
    }

    /** Returns permits that were taken from this cell or one that it continues; false if this cell is dead. */
    abstract boolean giveBack(PermitReturn returned, TimeSource clock);

    /** Marks this cell as dead; returns false if it was dead. */
    abstract boolean kill();

    /**
     * Marks this cell as dead, and returns a successor under {@code wanted} that takes over its use; null if it was
     * dead.
     */
    abstract @Nullable Cell succeed(BoundRule wanted, TimeSource clock);

    /** Updates the eviction times of a cell that was created with use. */
    void note(long now) {}

    /** Returns when this cell becomes indistinguishable from a new one, based on a word that was read before. */
    abstract long freshAt(long word);

    /**
     * Returns when a permit becomes available, based on a word that was read before; at most {@code now} if one is
     * available.
     */
    abstract long freeAt(long word, long now);

    /** Returns the used fraction of the tightest limit, from 0 to 1, based on a word that was read before. */
    abstract double usedShare(long word, long now);

    /**
     * Returns a cell that takes over this use. It has the wanted limits, or the present ones as long as the wanted
     * limits would drop use (see {@link #rejectUnder}).
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
