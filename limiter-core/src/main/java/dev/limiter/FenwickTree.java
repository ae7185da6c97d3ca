package dev.limiter;

/**
 * A number for each position, 0 at first, that can be raised from one position on in a single step.
 *
 * <p>A binary indexed tree (P. M. Fenwick, "A New Data Structure for Cumulative Frequency Tables", 1994) over the
 * differences between neighbours; raising and reading take O(log n). Sums wrap around as longs do, so that the
 * difference between two readings is right after any earlier changes. Not thread-safe.
 */
final class FenwickTree {

    private final long[] tree;

    FenwickTree(int positions) {
        tree = new long[positions];
    }

    void raiseFrom(int position, long amount) {
        for (int i = position; i < tree.length; i |= i + 1) {
            tree[i] += amount;
        }
    }

    long at(int position) {
        long sum = 0;
        for (int i = position; i >= 0; i = (i & (i + 1)) - 1) {
            sum += tree[i];
        }
        return sum;
    }
}
