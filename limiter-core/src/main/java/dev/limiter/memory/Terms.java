package dev.limiter.memory;

import dev.limiter.Charge;

/**
 * What is asked of a cell beyond "so many permits, now".
 *
 * @param kept how many permits must be left
 * @param maxWait the longest wait for a turn, in nanoseconds
 * @param imposed how long the request waits in any case, because of another rule
 */
record Terms(long permits, long kept, long maxWait, long imposed) {

    private static final long LONGEST = Long.MAX_VALUE / 4;

    static Terms of(Charge charge, long imposed) {
        long maxWait = charge.maxWait().toSeconds() > LONGEST / 1_000_000_000
                ? LONGEST
                : charge.maxWait().toNanos();
        return new Terms(charge.permits(), charge.kept(), maxWait, imposed);
    }

    static Terms plain(long permits) {
        return new Terms(permits, 0, 0, 0);
    }

    /** How many permits there have to be. */
    long needed() {
        long needed = permits + kept;
        return needed < 0 ? Long.MAX_VALUE : needed;
    }
}
