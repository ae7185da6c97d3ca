package dev.limiter.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Cells by the tick at which they are due. A position may be stale: cells are used while they wait here, and whoever
 * takes one from the head puts it where it belongs by then. Cells of one tick leave in the reverse order of their
 * arrival, so that of keys that are due together the newest goes first: a flood of new keys meets itself.
 *
 * <p>Lock-free. A chain that has been emptied is closed before it is taken off the map, so that nothing can be added to a
 * chain that nobody will look at again.
 */
final class TimeAxis {

    private final ConcurrentSkipListMap<Long, Chain> chains = new ConcurrentSkipListMap<>();
    private final int tickBits;

    /** With ticks of 2<sup>tickBits</sup> nanoseconds: the longer, the fewer chains; the shorter, the sooner known. */
    TimeAxis(int tickBits) {
        this.tickBits = tickBits;
    }

    /** The first tick that is not before {@code nanos}. */
    long tick(long nanos) {
        long tick = nanos >> tickBits;
        return tick << tickBits == nanos ? tick : tick + 1;
    }

    /** Adds a cell that is due at {@code nanos}. */
    void add(long nanos, Cell cell) {
        long tick = tick(nanos);
        while (true) {
            Chain chain = chains.get(tick);
            if (chain == null) {
                Chain created = new Chain();
                Chain present = chains.putIfAbsent(tick, created);
                chain = present == null ? created : present;
            }
            if (chain.push(cell)) {
                return;
            }
            chains.remove(tick, chain);
        }
    }

    /** Takes a cell from the head, if it is due by {@code nanos}; null if there is none. */
    @Nullable
    Entry poll(long nanos) {
        long due = nanos >> tickBits;
        while (true) {
            Map.Entry<Long, Chain> head = chains.firstEntry();
            if (head == null || head.getKey() > due) {
                return null;
            }
            Cell cell = head.getValue().pop();
            if (cell != null) {
                return new Entry(head.getKey(), cell);
            }
            chains.remove(head.getKey(), head.getValue());
        }
    }

    /** A cell, and the tick it stood at. */
    record Entry(long tick, Cell cell) {}

    /** A stack of fresh nodes (so that a compare-and-set cannot mistake one for another), closed once empty. */
    private static final class Chain {

        private static final Node CLOSED = new Node(null, null);

        private final AtomicReference<@Nullable Node> top = new AtomicReference<>();

        boolean push(Cell cell) {
            while (true) {
                Node node = top.get();
                if (node == CLOSED) {
                    return false;
                }
                if (top.compareAndSet(node, new Node(cell, node))) {
                    return true;
                }
            }
        }

        /** Null if the chain is empty, and from then on closed. */
        @Nullable
        Cell pop() {
            while (true) {
                Node node = top.get();
                if (node == CLOSED || node == null && top.compareAndSet(null, CLOSED)) {
                    return null;
                }
                if (node != null && top.compareAndSet(node, node.next)) {
                    return node.cell;
                }
            }
        }
    }

    private static final class Node {

        final @Nullable Cell cell;
        final @Nullable Node next;

        Node(@Nullable Cell cell, @Nullable Node next) {
            this.cell = cell;
            this.next = next;
        }
    }
}
