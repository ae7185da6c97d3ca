package dev.limiter.memory;

import java.util.Arrays;

/**
 * The cells that may be evicted, densely, so that some can be picked at random. Grows in chunks, of which none is ever
 * copied. Changed with the lock of {@link EvictionQueues} held.
 */
final class EvictionCandidates {

    /** The slot of a cell that may not be evicted. */
    static final int NO_SLOT = -1;

    /** The slot of a cell that has not entered yet. */
    static final int NEW = -2;

    /** The slot of a cell that has left for good. */
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

    /** The last one takes the slot that becomes free; nothing if the cell has none. */
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

    /** A chunk is dropped when the one before it has begun to empty. */
    @SuppressWarnings("NullAway") // nothing is read behind the last slot
    private void clear(int slot) {
        int chunk = slot >> CHUNK_BITS;
        chunks[chunk][slot & CHUNK - 1] = null;
        if ((slot & CHUNK - 1) == CHUNK / 2 && chunk + 1 < chunks.length) {
            chunks[chunk + 1] = null;
        }
    }
}
