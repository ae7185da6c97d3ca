package dev.limiter.memory;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The place of each cell in one of two queues: cells free for eviction by the time when they are fresh, and protected
 * cells (at their limit, or with held permits) by the time when the protection ends. Thread-safe. The lock is held for
 * some tens of nanoseconds: pointers change, and no computation runs. A decision on a known key never takes it, unless
 * the key becomes fresh earlier by that.
 */
final class EvictionQueues {

    /** The cells of a sample that came last. A flood of keys finds itself among them. */
    private static final int NEWEST = 4;

    private static final int SAMPLE = 8;

    /** Candidates that are all in the sample: so many cost a new key some microseconds. */
    private static final int FEW = 128;

    /**
     * The queue of cells by expiry. Ticks are about an eighth of a second: few for any window, and no request
     * waits for an expiry.
     */
    private final ExpiryQueue expiring = new ExpiryQueue(27);

    /**
     * The queue of protected cells. Ticks are about a millisecond: new keys share a state until a cell here
     * is known to be free.
     */
    private final ExpiryQueue guarded = new ExpiryQueue(20);

    private final EvictionCandidates candidates = new EvictionCandidates();

    private final long max;

    /** How many cells have entered and not left; those that keys share are not counted. */
    private volatile long size;

    /** {@code max}: cells that there is room for. */
    EvictionQueues(long max) {
        this.max = max;
    }

    long size() {
        return size;
    }

    /**
     * Gives a new cell its first place, the earliest, among those that may leave, if there is {@linkplain #hasRoom room}.
     * No thread finds a cell counted that is no candidate yet.
     */
    synchronized boolean enter(Cell cell, long now) {
        if (!cell.isShared() && !hasRoom(now)) {
            return false;
        }
        add(cell, now + 1);
        return true;
    }

    /** Whether cells have to leave for a new one. */
    boolean isFull() {
        return size >= max;
    }

    /** Whether a new cell may enter: also a hundredth too many, as long as some may leave, or their time has come. */
    synchronized boolean hasRoom(long now) {
        return !isFull() || size < max + max / 100 && (candidates.size() > 0 || isDue(now));
    }

    /** Gives a successor its place, instead of a cell that is dead. */
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

    /** Takes the place of a cell that is dead, or was never found by its key, and will never have one. Idempotent. */
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

    /** Puts a cell among those that may leave, and are fresh at {@code nanos}; nothing if it is not in. */
    synchronized void expire(Cell cell, long nanos) {
        if (!isIn(cell)) {
            return;
        }
        move(cell, expiring, expiring.tick(nanos));
        if (!cell.isShared()) {
            candidates.add(cell);
        }
    }

    /** Puts a cell among those that may not leave before {@code nanos}; nothing if it is not in. */
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
     * Whether a place is too late for a cell that is fresh at {@code freshAt}, and has a permit to give at {@code
     * freeAt}.
     */
    boolean isLate(ExpiryQueue.Tick place, long freshAt, long freeAt) {
        return place.queue == guarded ? guarded.tick(freeAt) < place.number : expiring.tick(freshAt) < place.number;
    }

    boolean isGuarded(ExpiryQueue.Tick place) {
        return place.queue == guarded;
    }

    /** Whether {@link #poll} would find a cell. */
    boolean isDue(long now) {
        return expiring.isDue(now) || guarded.isDue(now);
    }

    /** Takes a cell out whose time has come, for the caller to put it where it belongs; null if there is none. */
    @Nullable
    Cell poll(long now) {
        return isDue(now) ? pollLocked(now) : null;
    }

    private synchronized @Nullable Cell pollLocked(long now) {
        Cell cell = expiring.poll(now);
        return cell != null ? cell : guarded.poll(now);
    }

    /**
     * Some of the cells that may leave, as long as one has to: all if they are few, else the newest, and others at random.
     * Another thread may have made room in the meantime, by the newest: others would leave for nothing then.
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
