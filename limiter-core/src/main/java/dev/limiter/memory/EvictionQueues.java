package dev.limiter.memory;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Keeps each cell in one of two queues. Cells that may be evicted are ordered by the time when they are fresh. Guarded
 * cells (at their limit, or with held permits) are ordered by the time when they may leave. Thread-safe. The lock is
 * held for some tens of nanoseconds to change pointers. A decision on a known key takes it only if the key becomes
 * fresh earlier.
 */
final class EvictionQueues {

    /** The newest cells in each sample. During a flood of keys, these are the keys of the flood. */
    private static final int NEWEST = 4;

    private static final int SAMPLE = 8;

    /** Up to this many candidates are all sampled, which costs a new key some microseconds. */
    private static final int FEW = 128;

    /**
     * The queue of cells by expiry. Ticks of about an eighth of a second are enough, because no request waits for an
     * expiry.
     */
    private final ExpiryQueue expiring = new ExpiryQueue(27);

    /**
     * The queue of guarded cells. Ticks are about a millisecond, because new keys share a state until a cell here is
     * due.
     */
    private final ExpiryQueue guarded = new ExpiryQueue(20);

    private final EvictionCandidates candidates = new EvictionCandidates();

    private final long max;

    /** The number of cells, except shared ones. */
    private volatile long size;

    /** Creates the queues for {@code max} cells. */
    EvictionQueues(long max) {
        this.max = max;
    }

    long size() {
        return size;
    }

    /**
     * Adds a new cell at the earliest position, if there is {@linkplain #hasRoom space}. Counts it and makes it a
     * candidate in one step.
     */
    synchronized boolean enter(Cell cell, long now) {
        if (!cell.isShared() && !hasRoom(now)) {
            return false;
        }
        add(cell, now + 1);
        return true;
    }

    /** Returns whether a new cell requires an eviction. */
    boolean isFull() {
        return size >= max;
    }

    /** Returns whether a new cell may be added. Up to 1 % more are allowed while some may leave or are due. */
    synchronized boolean hasRoom(long now) {
        return !isFull() || size < max + max / 100 && (candidates.size() > 0 || isDue(now));
    }

    /** Replaces a dead cell by its successor. */
    synchronized void replace(Cell dead, Cell successor, long nanos) {
        leave(dead);
        if (successor.slot == EvictionCandidates.NEW) {
            add(successor, nanos);
        }
    }

    private synchronized void add(Cell cell, long nanos) {
        cell.slot = EvictionCandidates.NO_SLOT;
        size += cell.isShared() ? 0 : 1;
        expire(cell, nanos);
    }

    /** Removes a cell that is dead or was never found by its key, permanently. Idempotent. */
    synchronized void leave(Cell cell) {
        if (isIn(cell)) {
            size -= cell.isShared() ? 0 : 1;
            ExpiryQueue.remove(cell);
            candidates.remove(cell);
        }
        cell.slot = EvictionCandidates.LEFT;
    }

    private static boolean isIn(Cell cell) {
        return cell.slot >= EvictionCandidates.NO_SLOT;
    }

    /** Moves a cell that is still in a queue to the evictable ones, to expire at {@code nanos}. */
    synchronized void expire(Cell cell, long nanos) {
        if (!isIn(cell)) {
            return;
        }
        move(cell, expiring, expiring.tick(nanos));
        if (!cell.isShared()) {
            candidates.add(cell);
        }
    }

    /** Moves a cell that is still in a queue to the guarded ones, until {@code nanos}. */
    synchronized void guard(Cell cell, long nanos) {
        if (!isIn(cell)) {
            return;
        }
        move(cell, guarded, guarded.tick(nanos));
        candidates.remove(cell);
    }

    private static void move(Cell cell, ExpiryQueue queue, long tick) {
        ExpiryQueue.remove(cell);
        queue.add(tick, cell);
    }

    /**
     * Returns whether a position is too late for a cell that is fresh at {@code freshAt} and has a permit at {@code
     * freeAt}.
     */
    boolean isLate(ExpiryQueue.Tick place, long freshAt, long freeAt) {
        return place.queue == guarded ? guarded.tick(freeAt) < place.number : expiring.tick(freshAt) < place.number;
    }

    boolean isGuarded(ExpiryQueue.Tick place) {
        return place.queue == guarded;
    }

    /** Returns whether {@link #poll} would find a cell. */
    boolean isDue(long now) {
        return expiring.isDue(now) || guarded.isDue(now);
    }

    /** Removes and returns a cell that is due, for the caller to move; null if there is none. */
    @Nullable
    Cell poll(long now) {
        return isDue(now) ? pollLocked(now) : null;
    }

    private synchronized @Nullable Cell pollLocked(long now) {
        Cell cell = expiring.poll(now);
        return cell != null ? cell : guarded.poll(now);
    }

    /**
     * Returns some of the cells that may leave: all if there are few, otherwise the newest and some random ones.
     * Returns none if another thread has made space in the meantime.
     */
    synchronized Cell[] sample() {
        int most = isFull() ? candidates.size() : 0;
        boolean few = most <= FEW;
        Cell[] sample = new Cell[few ? most : SAMPLE];
        for (int i = 0; i < sample.length; i++) {
            int slot = few || i < NEWEST
                    ? most - 1 - i
                    : ThreadLocalRandom.current().nextInt(most);
            sample[i] = candidates.get(slot);
        }
        return sample;
    }
}
