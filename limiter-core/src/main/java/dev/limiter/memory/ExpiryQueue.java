package dev.limiter.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Cells by the tick at which they are due. A cell is in at most one queue. The links are fields of the cell, so it can
 * be removed in one step. Changes require the lock of {@link EvictionQueues}; {@link #isDue} does not.
 */
final class ExpiryQueue {

    private final ConcurrentSkipListMap<Long, Tick> ticks = new ConcurrentSkipListMap<>();
    private final int tickBits;

    /**
     * Creates a queue with ticks of 2<sup>tickBits</sup> nanoseconds. Longer ticks need less memory; shorter ones are
     * more precise.
     */
    ExpiryQueue(int tickBits) {
        this.tickBits = tickBits;
    }

    /** Returns the number of the first tick that is not before {@code nanos}. */
    long tick(long nanos) {
        long tick = nanos >> tickBits;
        return tick << tickBits == nanos ? tick : tick + 1;
    }

    /** Returns whether a cell is due by {@code nanos}. */
    boolean isDue(long nanos) {
        Map.Entry<Long, Tick> first = ticks.firstEntry();
        return first != null && first.getKey() <= nanos >> tickBits;
    }

    /** Adds a cell that is in no queue. */
    void add(long tick, Cell cell) {
        ticks.computeIfAbsent(tick, number -> new Tick(this, number)).add(cell);
    }

    /** Removes a cell from its queue, if it is in one. */
    static void remove(Cell cell) {
        Tick tick = cell.tick;
        if (tick != null && tick.remove(cell)) {
            tick.queue.ticks.remove(tick.number);
        }
    }

    /** Removes and returns a cell that is due by {@code nanos}; null if there is none. */
    @Nullable
    Cell poll(long nanos) {
        Map.Entry<Long, Tick> first = ticks.firstEntry();
        if (first == null || first.getKey() > nanos >> tickBits) {
            return null;
        }
        Cell cell = first.getValue().first;
        if (cell != null) {
            remove(cell);
        }
        return cell;
    }

    /** The cells that are due in the same tick, as a linked list. */
    static final class Tick {

        final ExpiryQueue queue;
        final long number;
        private @Nullable Cell first;

        private Tick(ExpiryQueue queue, long number) {
            this.queue = queue;
            this.number = number;
        }

        private void add(Cell cell) {
            cell.next = first;
            if (first != null) {
                first.previous = cell;
            }
            first = cell;
            cell.tick = this;
        }

        /** Removes a cell; returns whether it was the last one. */
        private boolean remove(Cell cell) {
            Cell before = cell.previous;
            Cell after = cell.next;
            if (before == null) {
                first = after;
            } else {
                before.next = after;
            }
            if (after != null) {
                after.previous = before;
            }
            cell.previous = null;
            cell.next = null;
            cell.tick = null;
            return first == null;
        }
    }
}
