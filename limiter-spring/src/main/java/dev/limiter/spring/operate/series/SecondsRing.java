package dev.limiter.spring.operate.series;

import java.util.Arrays;

/** A number for each of the last {@value #SECONDS} samples, with their sum. Not thread-safe. */
final class SecondsRing {

    static final int SECONDS = 300;

    private final long[] counts = new long[SECONDS];
    private long sum;

    /** Replaces the oldest sample. */
    void set(long sample, long count) {
        int slot = slot(sample);
        sum += count - counts[slot];
        counts[slot] = count;
    }

    /** The samples {@code from} to {@code to}, both included: at most {@value #SECONDS}, of the last ones. */
    long[] range(long from, long to) {
        long[] range = new long[(int) (to - from + 1)];
        Arrays.setAll(range, i -> counts[slot(from + i)]);
        return range;
    }

    long sum() {
        return sum;
    }

    private static int slot(long sample) {
        return (int) (sample % SECONDS);
    }
}
