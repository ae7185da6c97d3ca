package dev.limiter.memory;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The place of each cell, in one of two queues: of cells that may leave, by the time at which they are fresh, and of cells
 * that may not because they are at their limit or hold permits, by the time at which they no longer are. Thread-safe. The
 * lock is held for some tens of nanoseconds, in which pointers change and nothing is computed; a decision on a known key
 * never takes it, unless the key becomes fresh earlier by that.
 */
final class Places {

    /** The cells of a sample that came last. A flood of keys finds itself among them. */
    private static final int NEWEST = 4;

    /** In ticks of about an eighth of a second: few of them for any window, and no request waits for a cell to leave. */
    private final ExpiryQueue expiring = new ExpiryQueue(27);

    /** In ticks of about a millisecond: new keys share a state for as long as no cell here is known to be free. */
    private final ExpiryQueue guarded = new ExpiryQueue(20);

    private final Candidates candidates = new Candidates();

    /** Puts a cell among those that may leave, and are fresh at {@code nanos}. */
    synchronized void expire(Cell cell, long nanos) {
        move(cell, expiring, expiring.tick(nanos));
        if (!cell.isShared()) {
            candidates.add(cell);
        }
    }

    /** Puts a cell among those that may not leave before {@code nanos}. */
    synchronized void guard(Cell cell, long nanos) {
        move(cell, guarded, guarded.tick(nanos));
        candidates.remove(cell);
    }

    private static void move(Cell cell, ExpiryQueue queue, long tick) {
        ExpiryQueue.remove(cell);
        queue.add(tick, cell);
    }

    /** Forgets a cell that is dead. */
    synchronized void remove(Cell cell) {
        ExpiryQueue.remove(cell);
        candidates.remove(cell);
    }

    /** Whether a place is too late for a cell that is fresh at {@code freshAt}, and has a permit to give at {@code freeAt}. */
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

    /** Fills an array with cells that may leave: the newest, then others at random. Returns how many there are. */
    synchronized int sample(Cell[] sample) {
        int size = candidates.size();
        int count = Math.min(sample.length, size);
        for (int i = 0; i < count; i++) {
            boolean all = count == size;
            int slot = all || i < NEWEST
                    ? size - 1 - i
                    : ThreadLocalRandom.current().nextInt(size);
            sample[i] = candidates.get(slot);
        }
        return count;
    }
}
