package dev.limiter.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Cells by the tick at which they are due, each in one queue at a time, and in it once: the links are part of the cell,
 * so that it is taken out in one step wherever it stands. Changed with the lock of {@link EvictionQueues} held; {@link
 * #isDue} needs none.
 */
final class ExpiryQueue {

    private final ConcurrentSkipListMap<Long, Tick> ticks = new ConcurrentSkipListMap<>();
    private final int tickBits;

    /** With ticks of 2<sup>tickBits</sup> nanoseconds: the longer, the fewer of them; the shorter, the sooner known. */
    ExpiryQueue(int tickBits) {
        this.tickBits = tickBits;
    }

    /** The number of the first tick that is not before {@code nanos}. */
    long tick(long nanos) {
        long tick = nanos >> tickBits;
        return tick << tickBits == nanos ? tick : tick + 1;
    }

    /** Whether a cell is due by {@code nanos}. */
    boolean isDue(long nanos) {
        Map.Entry<Long, Tick> first = ticks.firstEntry();
        return first != null && first.getKey() <= nanos >> tickBits;
    }

    /** Adds a cell that is in no queue and due at that tick. */
    void add(long tick, Cell cell) {
        ticks.computeIfAbsent(tick, number -> new Tick(this, number)).add(cell);
    }

    /** Takes a cell out of whichever queue it is in; nothing if it is in none. */
    static void remove(Cell cell) {
        Tick tick = cell.tick;
        if (tick != null && tick.remove(cell)) {
            tick.queue.ticks.remove(tick.number);
        }
    }

    /** Takes out a cell that is due by {@code nanos}; null if there is none. */
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

    /** The cells that are due at one moment: a list that is linked through them, never empty but for a moment. */
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

        /** Whether it was the last one. */
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
