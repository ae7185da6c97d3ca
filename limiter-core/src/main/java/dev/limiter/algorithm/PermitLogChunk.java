package dev.limiter.algorithm;

import java.util.Arrays;

/**
 * A chunk of a sliding window log: at most {@link #MOST} entries, each a time and how many permits were taken then, as
 * pairs of an array in the order of time. Times may have run over, so they are compared by their difference.
 */
final class PermitLogChunk {

    /** The most entries of a chunk. */
    static final int MOST = 32;

    private PermitLogChunk() {}

    static int size(long[] chunk) {
        return chunk.length / 2;
    }

    static long time(long[] chunk, int entry) {
        return chunk[2 * entry];
    }

    static long permits(long[] chunk, int entry) {
        return chunk[2 * entry + 1];
    }

    /** The permits of the entries from {@code from} to before {@code to}. */
    static long permits(long[] chunk, int from, int to) {
        long permits = 0;
        for (int entry = from; entry < to; entry++) {
            permits += permits(chunk, entry);
        }
        return permits;
    }

    /** The entry of exactly this time between {@code from} and {@code to}, or -1. */
    static int find(long[] chunk, int from, int to, long time) {
        for (int entry = from; entry < to; entry++) {
            if (time(chunk, entry) == time) {
                return entry;
            }
        }
        return -1;
    }

    /**
     * The entry from {@code from} on that the permit with this number belongs to, counted from 1; {@code to} if none.
     */
    static int entryOf(long[] chunk, int from, int to, long permit) {
        int entry = from;
        for (long left = permit; entry < to; entry++) {
            left -= permits(chunk, entry);
            if (left <= 0) {
                break;
            }
        }
        return entry;
    }

    /** A copy with fewer permits in an entry, or without the entry if that leaves none. */
    static long[] without(long[] chunk, int entry, long permits) {
        if (permits < permits(chunk, entry)) {
            long[] copy = chunk.clone();
            copy[2 * entry + 1] -= permits;
            return copy;
        }
        long[] copy = Arrays.copyOf(chunk, chunk.length - 2);
        move(chunk, 2 * entry + 2, copy, 2 * entry, copy.length - 2 * entry);
        return copy;
    }

    /** Copies numbers from one array to another one, or to an earlier place of the same one. */
    static void move(long[] source, int from, long[] target, int to, int count) {
        for (int i = 0; i < count; i++) {
            target[to + i] = source[from + i];
        }
    }

    static long[] join(long[] first, long[] second) {
        long[] joined = Arrays.copyOf(first, first.length + second.length);
        move(second, 0, joined, first.length, second.length);
        return joined;
    }
}
