package dev.limiter.spring.operate;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the items that occur most often among any number of them, with a fixed number of counters: an item without one
 * takes over the least counter with its count, and its own count may be too high by that. Of N occurrences and m
 * counters, each item with more than N / m occurrences has a counter. Not thread-safe; a new item costs O(m).
 *
 * @param <T> items, equal when they are the same
 * @see <a href="https://doi.org/10.1007/978-3-540-30570-5_27">Metwally, Agrawal, El Abbadi: Efficient Computation of
 *     Frequent and Top-k Elements in Data Streams, 2005</a>
 */
final class SpaceSaving<T> {

    private final int capacity;
    private final Map<T, Count<T>> counts = new HashMap<>();

    /**
     * How often an item occurred.
     *
     * @param item as it occurred last, of those that are equal
     * @param count not less than that
     * @param error how much more, at most
     */
    record Count<T>(T item, long count, long error) {}

    /** {@code capacity}: how many counters there are, 1 or more. */
    SpaceSaving(int capacity) {
        this.capacity = capacity;
    }

    void add(T item) {
        Count<T> known = counts.get(item);
        if (known != null) {
            counts.put(item, new Count<>(item, known.count + 1, known.error));
        } else if (counts.size() < capacity) {
            counts.put(item, new Count<>(item, 1, 0));
        } else {
            Count<T> least = counts.values().stream()
                    .min(Comparator.comparingLong(Count::count))
                    .orElseThrow();
            counts.remove(least.item);
            counts.put(item, new Count<>(item, least.count + 1, least.count));
        }
    }

    /** The counts of all items with a counter, in any order. */
    List<Count<T>> counts() {
        return List.copyOf(counts.values());
    }
}
