package dev.limiter.algorithm;

/**
 * Part of a sliding window log: up to {@link #MOST} entries in chronological order. An entry is a pair of numbers: a
 * time and the permits taken at that time. The last entry has permits; all permits of other entries may have been
 * returned.
 *
 * <p>Times may overflow, so they are compared by their difference.
 */
final class LogChunk {

    static final int MOST = 512;

    private long[] entries = new long[2];

    /** The index of the first entry, and the end index, in pairs. */
    private int from;

    private int to;

    /** The permits of all entries. */
    private long permits;

    LogChunk() {}

    LogChunk(LogChunk other) {
        entries = other.entries.clone();
        from = other.from;
        to = other.to;
        permits = other.permits;
    }

    long permits() {
        return permits;
    }

    long first() {
        return entries[2 * from];
    }

    long last() {
        return entries[2 * to - 2];
    }

    /** Appends an entry; returns false if the chunk is full. */
    boolean add(long time, long taken) {
        if (2 * to == entries.length) {
            makeRoom();
            if (to == MOST) {
                return false;
            }
        }
        entries[2 * to] = time;
        entries[2 * to + 1] = taken;
        to++;
        permits += taken;
        return true;
    }

    void addToLast(long taken) {
        entries[2 * to - 1] += taken;
        permits += taken;
    }

    /** Moves the entries that have permits to the start of an array with space for twice as many. */
    private void makeRoom() {
        int size = 2 * Math.min(Math.max(2 * (to - from), 1), MOST);
        long[] moved = size == entries.length ? entries : new long[size];
        int end = 0;
        for (int i = 2 * from; i < 2 * to; i += 2) {
            if (entries[i + 1] > 0) {
                moved[end++] = entries[i];
                moved[end++] = entries[i + 1];
            }
        }
        entries = moved;
        from = 0;
        to = end / 2;
    }

    /** Removes the entries up to a time, and returns the number of their permits. */
    long dropUntil(long time) {
        long before = permits;
        for (; from < to && first() - time <= 0; from++) {
            permits -= entries[2 * from + 1];
        }
        return before - permits;
    }

    /** Returns up to {@code wanted} permits that were taken at exactly this time, and returns their number. */
    long giveBack(long time, long wanted) {
        int entry = to - 1;
        while (entry > from && entries[2 * entry] - time > 0) {
            entry--;
        }
        if (entries[2 * entry] != time) {
            return 0;
        }
        long returned = Math.min(wanted, entries[2 * entry + 1]);
        entries[2 * entry + 1] -= returned;
        permits -= returned;
        while (to > from && entries[2 * to - 1] == 0) {
            to--;
        }
        return returned;
    }

    /** Returns when a permit was taken, by its number counted from 1. */
    long timeOf(long permit) {
        int entry = from;
        for (long left = permit - entries[2 * entry + 1]; left > 0; left -= entries[2 * entry + 1]) {
            entry++;
        }
        return entries[2 * entry];
    }
}
