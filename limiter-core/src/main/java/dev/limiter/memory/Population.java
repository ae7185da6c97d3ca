package dev.limiter.memory;

import dev.limiter.CompiledLimit;
import dev.limiter.TimeSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How many cells there are, and who leaves. All cells stand on one of two axes: in use by the time at which they are
 * fresh again, or, once somebody who needed room found them at their limit, by the time at which they no longer are.
 */
final class Population {

    /** Cells that a new key looks at to make room. With 1 % of slack, all have been looked at before the slack is used. */
    private static final int STEPS_FOR_ROOM = 128;

    /** Cells that a new key looks at although there is room. More than one, so that leaving keeps up with coming. */
    private static final int STEPS = 4;

    /** In ticks of about an eighth of a second: few chains for any window, and nobody waits for a state to leave. */
    private final TimeAxis inUse = new TimeAxis(27);

    /** In ticks of about a millisecond: new keys share a state for as long as nobody here is known to be free. */
    private final TimeAxis atLimit = new TimeAxis(20);

    private final AtomicLong size = new AtomicLong();
    private final LongAdder expired = new LongAdder();
    private final LongAdder evicted = new LongAdder();
    private final TimeSource clock;
    private final long max;

    Population(long max, TimeSource clock) {
        this.max = max;
        this.clock = clock;
    }

    long size() {
        return size.get();
    }

    long expired() {
        return expired.sum();
    }

    long evicted() {
        return evicted.sum();
    }

    /** Counts a new cell in, if there is room or can be made. */
    boolean admit() {
        long now = clock.epochNanos();
        for (int i = 0; i < STEPS && expireOne(now); i++) {}
        for (int i = 0; i < STEPS_FOR_ROOM && size.get() >= max; i++) {
            if (!evictOne(now)) {
                break;
            }
        }
        return countIn();
    }

    private boolean countIn() {
        while (true) {
            long current = size.get();
            if (current >= max + max / 100) {
                return false;
            }
            if (size.compareAndSet(current, current + 1)) {
                return true;
            }
        }
    }

    /** Counts a cell out that is no longer found by its key. */
    void dismiss() {
        size.decrementAndGet();
    }

    /** Gives a cell that was counted in its place on the axis. */
    void settle(Cell cell) {
        place(cell, cell.freshAt(cell.word()));
    }

    /** What is held by somebody is looked at again in a second: nobody knows for how long it is. */
    private void place(Cell cell, long freshAt) {
        inUse.add(freshAt == CompiledLimit.NOT_BY_TIME ? clock.epochNanos() + 1_000_000_000 : freshAt, cell);
    }

    void cleanUp() {
        long now = clock.epochNanos();
        while (expireOne(now) && !Thread.currentThread().isInterrupted()) {}
    }

    /** Takes one step on cells that are due; false if none is. */
    private boolean expireOne(long now) {
        TimeAxis.Entry entry = inUse.poll(now);
        if (entry == null) {
            entry = atLimit.poll(now);
        }
        if (entry == null) {
            return false;
        }
        Cell cell = successor(entry.cell());
        if (cell != null) {
            long word = cell.word();
            long fresh = cell.freshAt(word);
            if (fresh > now || !leave(cell, word, expired)) {
                // a cell that somebody is just changing is looked at in the next tick, not until he is done
                place(cell, Math.max(fresh, now + 1));
            }
        }
        return true;
    }

    /** Takes one step towards room; false if all are at their limit. */
    private boolean evictOne(long now) {
        TimeAxis.Entry entry = inUse.poll(Long.MAX_VALUE);
        if (entry == null) {
            return expireOne(now);
        }
        Cell cell = successor(entry.cell());
        if (cell != null) {
            long word = cell.word();
            long fresh = cell.freshAt(word);
            long free = cell.freeAt(word, now);
            if (free > now) {
                atLimit.add(free, cell);
            } else if (inUse.tick(fresh) > entry.tick() || !leave(cell, word, evicted)) {
                place(cell, fresh);
            }
        }
        return true;
    }

    /** Dies, if nobody has changed it since the word was read. */
    private boolean leave(Cell cell, long word, LongAdder cause) {
        if (!cell.die(word)) {
            return false;
        }
        // whoever finds a dead cell may take it off the map; only the one it died by counts it out
        cell.bound.states.remove(cell);
        dismiss();
        cause.increment();
        return true;
    }

    /** The cell itself if it lives, or the one that took over its key and has no place of its own yet. */
    private static @Nullable Cell successor(Cell cell) {
        if (!cell.isDead()) {
            return cell;
        }
        Cell current = cell.bound.states.get(cell.key);
        return current != null && current.claimIndex() ? current : null;
    }
}
