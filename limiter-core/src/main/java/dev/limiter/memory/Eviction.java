package dev.limiter.memory;

import dev.limiter.TimeSource;
import dev.limiter.spi.CompiledLimit;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the cells and decides which of them leave. The position of a cell in the queues follows from its state: {@link
 * #file} computes it, and checks again after moving the cell, so that a concurrent change is not missed. A thread that
 * makes a cell fresh earlier checks its position after the change. A position may be too early, which is corrected when
 * its time comes, but never too late.
 *
 * <p>To make space, some cells are examined: all if there are few, otherwise the newest and some random ones. The one
 * that uses least of its tightest limit is evicted; among equals, the newest. Cells that are at their limit or hold
 * permits are guarded until they no longer are.
 */
class Eviction {

    /**
     * Cells that each new key examines even if there is space. More than one, so that expiry keeps up with arrivals.
     */
    private static final int STEPS = 4;

    /**
     * The most samples that a new key takes. With 1 % of slack, all cells have been examined before that is used up.
     */
    private static final int SAMPLES = 13;

    private final EvictionQueues places;
    private final LongAdder expired = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private final TimeSource clock;

    Eviction(long max, TimeSource clock) {
        this.places = new EvictionQueues(max);
        this.clock = clock;
    }

    final long size() {
        return places.size();
    }

    final long expired() {
        return expired.sum();
    }

    final long evicted() {
        return evicted.sum();
    }

    /**
     * Adds a new cell to the queues before it can be found by its key, if there is space or some can be made. Its
     * position is early, and is corrected when its time comes.
     */
    boolean admit(Cell cell) {
        long now = clock.epochNanos();
        expireSome(now);
        makeRoom(now);
        return places.enter(cell, now);
    }

    private void makeRoom(long now) {
        for (int i = 0; i < SAMPLES && places.isFull(); i++) {
            Cell[] sample = places.sample();
            if (sample.length == 0) {
                return;
            }
            evict(least(sample, now), now);
        }
    }

    /** Adds a new shared cell for the keys that do not fit. */
    void admitShared(Cell cell) {
        places.enter(cell, clock.epochNanos());
    }

    /** Returns whether {@link #admit} would succeed; evicts nothing. */
    final boolean hasRoom() {
        long now = clock.epochNanos();
        expireSome(now);
        for (int i = 0; i < SAMPLES && places.isFull(); i++) {
            Cell[] sample = places.sample();
            if (sample.length == 0) {
                break;
            }
            if (least(sample, now) != null) {
                return true;
            }
        }
        return places.hasRoom(now);
    }

    /** Removes a cell that was reset, or that lost the race to another cell of the same key. */
    void forget(Cell cell) {
        places.leave(cell);
    }

    /** Replaces a cell by its successor, at an early position. */
    void succeeded(Cell dead, Cell successor) {
        places.replace(dead, successor, clock.epochNanos() + 1);
    }

    /** Moves a cell that may be fresh, or free, earlier than before. */
    void relaxed(Cell cell) {
        VarHandle.fullFence();
        ExpiryQueue.Tick place = cell.tick;
        // null while the cell is being moved: to an early position, or by a thread that will check again
        if (place != null && isMisplaced(cell, place)) {
            file(cell, places.isGuarded(place));
        }
    }

    final void cleanUp() {
        long now = clock.epochNanos();
        while (expireOne(now) && !Thread.currentThread().isInterrupted()) {}
    }

    private void expireSome(long now) {
        for (int i = 0; i < STEPS && expireOne(now); i++) {}
    }

    /** Processes one cell that is due; returns false if there is none. */
    private boolean expireOne(long now) {
        Cell cell = places.poll(now);
        if (cell == null) {
            return false;
        }
        long word = cell.word();
        if (cell.freshAt(word) <= now && cell.die(word)) {
            leave(cell, expired);
        } else {
            file(cell, false);
        }
        return true;
    }

    /** Returns the cell of a sample that uses least; null if all are guarded now, or a dead one has made space. */
    private @Nullable Cell least(Cell[] sample, long now) {
        Cell least = null;
        double smallest = Double.MAX_VALUE;
        for (Cell cell : sample) {
            long word = cell.word();
            if (word == Cell.DEAD) {
                places.leave(cell);
                return null;
            }
            if (isGuarded(cell, word, now)) {
                file(cell, true);
            } else {
                double share = rank(cell, word, now);
                if (share < smallest) {
                    smallest = share;
                    least = cell;
                }
            }
        }
        return least;
    }

    /** Returns the rank of a cell: the candidate with the lowest rank is evicted. */
    double rank(Cell cell, long word, long now) {
        return cell.usedShare(word, now);
    }

    private void evict(@Nullable Cell cell, long now) {
        if (cell != null) {
            long word = cell.word();
            // it may have reached its limit in the meantime
            if (!isGuarded(cell, word, now) && cell.die(word)) {
                leave(cell, evicted);
            }
        }
    }

    private void leave(Cell cell, LongAdder cause) {
        // other threads that found it dead may have done both
        cell.bound.cells.remove(cell);
        places.leave(cell);
        cause.increment();
    }

    /** Moves a cell to the position for its state; {@code guard}: among the guarded cells if it is at its limit. */
    private void file(Cell cell, boolean guard) {
        boolean misplaced = true;
        while (misplaced) {
            place(cell, guard);
            // after a full fence: a thread that changes the cell now sees the position, or its change is seen here
            ExpiryQueue.Tick place = cell.tick;
            misplaced = place != null && isMisplaced(cell, place);
        }
    }

    void place(Cell cell, boolean guard) {
        long now = clock.epochNanos();
        long word = cell.word();
        if (word == Cell.DEAD) {
            return; // the thread that killed it removes it
        }
        if (isHeld(cell, word) || guard && isGuarded(cell, word, now)) {
            places.guard(cell, guardedUntil(cell, word, now));
        } else {
            // a cell in use is examined again in the next tick, even if it is fresh
            places.expire(cell, Math.max(cell.freshAt(word), now + 1));
        }
    }

    /** Returns whether a cell is at a position where it would be found too late. */
    final boolean isMisplaced(Cell cell, ExpiryQueue.Tick place) {
        long word = cell.word();
        if (word == Cell.DEAD) {
            return false;
        }
        long fresh = cell.freshAt(word);
        if (places.isGuarded(place)) {
            long now = clock.epochNanos();
            return places.isLate(place, fresh, Math.max(guardedUntil(cell, word, now), now + 1));
        }
        return places.isLate(place, fresh, fresh)
                && places.isLate(place, Math.max(fresh, clock.epochNanos() + 1), fresh);
    }

    private static boolean isGuarded(Cell cell, long word, long now) {
        return word != Cell.DEAD && guardedUntil(cell, word, now) > now;
    }

    private static boolean isHeld(Cell cell, long word) {
        return cell.freshAt(word) == CompiledLimit.NOT_BY_TIME;
    }

    /** Returns until when a cell may not leave; {@code Long.MAX_VALUE} if that depends on others releasing permits. */
    private static long guardedUntil(Cell cell, long word, long now) {
        return isHeld(cell, word) ? Long.MAX_VALUE : cell.freeAt(word, now);
    }
}
