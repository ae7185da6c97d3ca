package dev.limiter.memory;

import dev.limiter.TimeSource;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The cells of all keys under one rule name. Striped over several maps, so that the pause in which one of them grows
 * stays far below a millisecond however many keys there are.
 */
final class States {

    private static final int KEYS_PER_STRIPE = 32_768;
    private static final int MAX_STRIPES = 256;

    private final Stripe[] stripes;
    private final TimeSource clock;
    private final Releases releases;

    States(long maxKeys, TimeSource clock, Releases releases) {
        long wanted = Math.min(Math.max(maxKeys / KEYS_PER_STRIPE, 1), MAX_STRIPES);
        this.stripes = new Stripe[(int) Long.highestOneBit(2 * wanted - 1)];
        Arrays.setAll(stripes, i -> new Stripe());
        this.clock = clock;
        this.releases = releases;
    }

    long now() {
        return clock.epochNanos();
    }

    @Nullable
    Cell get(String key) {
        return find(stripes, key);
    }

    /** The same for those who keep {@link #stripes} at hand, which spares a dependent load. */
    static @Nullable Cell find(Stripe[] stripes, String key) {
        return stripe(stripes, key).get(key);
    }

    Stripe[] stripes() {
        return stripes;
    }

    /** The cell that has the key afterwards: this one, or the one that was there. */
    Cell putIfAbsent(Cell cell) {
        Cell present = stripe(stripes, cell.key).putIfAbsent(cell.key, cell);
        return present == null ? cell : present;
    }

    boolean remove(Cell cell) {
        return stripe(stripes, cell.key).remove(cell.key, cell);
    }

    /**
     * Puts a successor under other limits in the place of a cell. It dies inside the map's own critical section, so that
     * nobody can find the key without a cell in between and start again with a fresh one.
     */
    void succeed(Cell cell, BoundRule next) {
        stripe(stripes, cell.key).computeIfPresent(cell.key, (key, present) -> {
            Cell successor = present == cell ? cell.succeed(next, clock) : null;
            return successor == null ? present : successor;
        });
    }

    /**
     * Returns permits to the cell they were taken from, or to the one that goes on from there. If that left or was reset,
     * what was taken is forgotten, and a new cell of the key holds only what others took.
     */
    void giveBack(Cell takenFrom, long[] marks, long permits) {
        Cell cell = takenFrom;
        while (!cell.giveBack(takenFrom.bound, marks, permits, clock)) {
            // waits for a successor that is just being put in its place
            remove(cell);
            Cell current = get(cell.key);
            if (current == null || !current.continues(takenFrom)) {
                return;
            }
            cell = current;
        }
        releases.of(takenFrom);
    }

    private static Stripe stripe(Stripe[] stripes, String key) {
        // spread by the high bits of a product, since the maps use the low bits of the hash itself
        return stripes[(key.hashCode() * 0x9E3779B9) >>> 20 & stripes.length - 1];
    }

    /** One of the maps. */
    static final class Stripe extends ConcurrentHashMap<String, Cell> {

        private static final long serialVersionUID = 1L;
    }
}
