package dev.limiter.memory;

import java.util.Arrays;

/**
 * The cells that may be evicted, in a dense array that allows picking some at random. Grows in chunks that are never
 * copied. Guarded by the lock of {@link EvictionQueues}.
 */
final class EvictionCandidates {

    /** The slot of a cell that may not be evicted. */
    static final int NO_SLOT = -1;

    /** The slot of a cell that has not been added yet. */
    static final int NEW = -2;

    /** The slot of a cell that was removed permanently. */
    static final int LEFT = -3;

    private static final int CHUNK_BITS = 10;
    private static final int CHUNK = 1 << CHUNK_BITS;

    private Cell[][] chunks = new Cell[4][];
    private int size;

    int size() {
        return size;
    }

    void add(Cell cell) {
        if (cell.slot < 0) {
            set(size++, cell);
        }
    }

    /** Removes a cell, if it is a candidate; the last one moves to its slot. */
    void remove(Cell cell) {
        if (cell.slot < 0) {
            return;
        }
        Cell last = get(--size);
        set(cell.slot, last);
        cell.slot = NO_SLOT;
        clear(size);
    }

    Cell get(int slot) {
        return chunks[slot >> CHUNK_BITS][slot & CHUNK - 1];
    }

    private void set(int slot, Cell cell) {
        int chunk = slot >> CHUNK_BITS;
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * chunk);
        }
        if (chunks[chunk] == null) {
            chunks[chunk] = new Cell[CHUNK];
        }
        chunks[chunk][slot & CHUNK - 1] = cell;
        cell.slot = slot;
    }

    /** Clears a slot. A chunk is dropped when the one before it is half empty. */
    @SuppressWarnings("NullAway") // nothing after the last slot is read
    private void clear(int slot) {
        int chunk = slot >> CHUNK_BITS;
        chunks[chunk][slot & CHUNK - 1] = null;
        if ((slot & CHUNK - 1) == CHUNK / 2 && chunk + 1 < chunks.length) {
            chunks[chunk + 1] = null;
        }
    }
}
