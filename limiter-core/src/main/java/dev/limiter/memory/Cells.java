package dev.limiter.memory;

import dev.limiter.TimeSource;
import dev.limiter.spi.ReleaseListeners;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The cells of all keys of one rule name. They are striped over several maps, so that resizing one of them pauses for
 * far less than a millisecond, even with many keys.
 */
final class Cells {

    /**
     * The key of the cell shared by keys that did not fit. Compared by identity, because a client may send an equal
     * key.
     */
    @SuppressWarnings("StringOperationCanBeSimplified") // must be a distinct object
    static final String SHARED = new String("\0shared");

    private static final int KEYS_PER_STRIPE = 32_768;
    private static final int MAX_STRIPES = 256;

    private final Stripe[] stripes;
    private final TimeSource clock;
    private final ReleaseListeners releases;
    private final Eviction eviction;

    Cells(long maxKeys, TimeSource clock, ReleaseListeners releases, Eviction eviction) {
        long wanted = Math.min(Math.max(maxKeys / KEYS_PER_STRIPE, 1), MAX_STRIPES);
        this.stripes = new Stripe[(int) Long.highestOneBit(2 * wanted - 1)];
        Arrays.setAll(stripes, i -> new Stripe());
        this.clock = clock;
        this.releases = releases;
        this.eviction = eviction;
    }

    long now() {
        return clock.epochNanos();
    }

    @Nullable
    Cell get(String key) {
        return stripe(stripes, key).get(key);
    }

    Stripe[] stripes() {
        return stripes;
    }

    /** Adds a cell unless the key has one; returns the cell that is then in the map. */
    Cell putIfAbsent(Cell cell) {
        Cell present = stripe(stripes, cell.key).putIfAbsent(cell.key, cell);
        return present == null ? cell : present;
    }

    boolean remove(Cell cell) {
        return stripe(stripes, cell.key).remove(cell.key, cell);
    }

    /**
     * Replaces a live cell by a successor under other limits. The cell dies inside the critical section of the map.
     * Otherwise a thread could find the key without a cell, and start with a fresh one.
     */
    void succeed(Cell cell, BoundRule next) {
        Cell[] made = new Cell[1];
        stripe(stripes, cell.key).computeIfPresent(cell.key, (key, present) -> {
            Cell successor = present == cell ? cell.succeed(next, clock) : null;
            made[0] = successor;
            return successor == null ? present : successor;
        });
        if (made[0] != null) {
            eviction.succeeded(cell, made[0]);
        }
    }

    /**
     * Returns permits to the cell they were taken from, or to its successor. After an eviction or a reset there is no
     * successor: a new cell of the key counts only later permits.
     */
    void giveBack(PermitReturn returned) {
        Cell cell = returned.from();
        while (!cell.giveBack(returned, clock)) {
            // waits for a successor that is about to replace the cell
            remove(cell);
            Cell current = get(cell.key);
            if (current == null || !returned.belongsTo(current)) {
                return;
            }
            cell = current;
        }
        eviction.relaxed(cell);
        released(cell);
    }

    /** Notifies listeners that a cell counts less than before. */
    void released(Cell cell) {
        releases.released(cell.bound.rule.name(), cell.key);
    }

    /** Updates the eviction position of a cell that may be fresh, or have a free permit, earlier than before. */
    void relaxed(Cell cell) {
        eviction.relaxed(cell);
    }

    static Stripe stripe(Stripe[] stripes, String key) {
        // uses the high bits of a product, because the maps use the low bits of the hash
        return stripes[(key.hashCode() * 0x9E3779B9) >>> 20 & stripes.length - 1];
    }

    /** One of the maps. */
    static final class Stripe extends ConcurrentHashMap<String, Cell> {

        private static final long serialVersionUID = 1L;
    }
}
