package dev.limiter.spring.operate;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the most frequent items of a stream with a fixed number of counters. An item without a counter takes over the
 * smallest counter and its count, so its own count may be too high by that. With N occurrences and m counters, each
 * item with more than N / m occurrences has a counter. Not thread-safe; a new item costs O(m).
 *
 * @param <T> the type of items, compared by equals
 * @see <a href="https://doi.org/10.1007/978-3-540-30570-5_27">Metwally, Agrawal, El Abbadi: Efficient Computation of
 *     Frequent and Top-k Elements in Data Streams, 2005</a>
 */
final class SpaceSaving<T> {

    private final int capacity;
    private final Map<T, Count<T>> counts = new HashMap<>();

    /**
     * The count of an item.
     *
     * @param item the last of the equal items
     * @param count an upper bound of its occurrences
     * @param error the most by which the count is too high
     */
    record Count<T>(T item, long count, long error) {}

    /** {@code capacity}: the number of counters, 1 or more. */
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

    /** Returns the counts of all items with a counter, in any order. */
    List<Count<T>> counts() {
        return List.copyOf(counts.values());
    }
}
