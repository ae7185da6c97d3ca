package dev.limiter.memory;

import dev.limiter.TimeSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The cells of all keys under one rule name. Striped over several maps, so that the pause in which one of them grows
 * stays far below a millisecond however many keys there are.
 */
final class States {

    private static final int KEYS_PER_STRIPE = 32_768;
    private static final int MAX_STRIPES = 256;

    private final AtomicReferenceArray<ConcurrentHashMap<String, Cell>> stripes;
    private final int mask;
    private final TimeSource clock;

    States(long maxKeys, TimeSource clock) {
        long wanted = Math.min(Math.max(maxKeys / KEYS_PER_STRIPE, 1), MAX_STRIPES);
        int count = (int) (Long.highestOneBit(2 * wanted - 1));
        this.stripes = new AtomicReferenceArray<>(count);
        this.mask = count - 1;
        this.clock = clock;
        stripes.set(0, new ConcurrentHashMap<>());
    }

    @Nullable
    Cell get(String key) {
        ConcurrentHashMap<String, Cell> stripe = stripes.getAcquire(stripe(key));
        return stripe == null ? null : stripe.get(key);
    }

    /** The cell that has the key afterwards: this one, or the one that was there. */
    Cell putIfAbsent(Cell cell) {
        int index = stripe(cell.key);
        if (stripes.get(index) == null) {
            stripes.compareAndSet(index, null, new ConcurrentHashMap<>());
        }
        Cell present = stripes.get(index).putIfAbsent(cell.key, cell);
        return present == null ? cell : present;
    }

    boolean remove(Cell cell) {
        return stripes.get(stripe(cell.key)).remove(cell.key, cell);
    }

    /**
     * Puts a successor under other limits in the place of a cell. It dies inside the map's own critical section, so that
     * nobody can find the key without a cell in between and start again with a fresh one.
     */
    void succeed(Cell cell, BoundRule next) {
        stripes.get(stripe(cell.key)).computeIfPresent(cell.key, (key, present) -> {
            Cell successor = present == cell ? cell.succeed(next, clock) : null;
            return successor == null ? present : successor;
        });
    }

    /** Returns permits to the cell they were taken from, or to the one that has its key now. */
    void giveBack(Cell takenFrom, long[] marks, long permits) {
        Cell cell = takenFrom;
        while (cell != null && !cell.giveBack(takenFrom.bound, marks, permits, clock)) {
            Cell current = get(cell.key);
            if (current == cell) {
                remove(cell);
            }
            cell = current == cell ? get(cell.key) : current;
        }
    }

    private int stripe(String key) {
        // the maps use the low bits of the hash
        return (key.hashCode() * 0x9E3779B9) >>> 20 & mask;
    }
}
