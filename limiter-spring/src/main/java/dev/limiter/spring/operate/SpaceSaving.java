package dev.limiter.spring.operate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the items that occur most often among any number of them, with a fixed number of counters: an item without one
 * takes over the least counter with its count, and its own count may be too high by that. Of N occurrences and m
 * counters, each item with more than N / m occurrences has a counter. Not thread-safe; an occurrence costs O(log m).
 *
 * @param <T> items, equal when they are the same
 * @see <a href="https://doi.org/10.1007/978-3-540-30570-5_27">Metwally, Agrawal, El Abbadi: Efficient Computation of
 *     Frequent and Top-k Elements in Data Streams, 2005</a>
 */
final class SpaceSaving<T> {

    private final int capacity;
    private final Map<T, Counter<T>> byItem = new HashMap<>();

    /** A heap: no counter is less than the one at half its index. */
    private final List<Counter<T>> counters = new ArrayList<>();

    private static final class Counter<T> {

        T item;
        long count;
        long error;
        int index;

        Counter(T item, int index) {
            this.item = item;
            this.index = index;
        }
    }

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
        Counter<T> counter = byItem.get(item);
        if (counter == null) {
            counter = counters.size() < capacity ? newCounter(item) : takeOver(item);
            byItem.put(item, counter);
        }
        counter.item = item;
        counter.count++;
        sink(counter);
    }

    /** A fresh counter is the least there is. */
    private Counter<T> newCounter(T item) {
        Counter<T> counter = new Counter<>(item, counters.size());
        counters.add(counter);
        while (counter.index > 0) {
            swap(counter, counters.get((counter.index - 1) / 2));
        }
        return counter;
    }

    private Counter<T> takeOver(T item) {
        Counter<T> least = counters.get(0);
        byItem.remove(least.item);
        least.item = item;
        least.error = least.count;
        return least;
    }

    private void sink(Counter<T> counter) {
        while (true) {
            int left = 2 * counter.index + 1;
            if (left >= counters.size()) {
                return;
            }
            Counter<T> child = counters.get(left);
            if (left + 1 < counters.size() && counters.get(left + 1).count < child.count) {
                child = counters.get(left + 1);
            }
            if (counter.count <= child.count) {
                return;
            }
            swap(counter, child);
        }
    }

    private void swap(Counter<T> one, Counter<T> other) {
        int index = one.index;
        one.index = other.index;
        other.index = index;
        counters.set(one.index, one);
        counters.set(other.index, other);
    }

    /** The counts of all items with a counter, in any order. */
    List<Count<T>> counts() {
        return counters.stream()
                .map(counter -> new Count<>(counter.item, counter.count, counter.error))
                .toList();
    }
}
