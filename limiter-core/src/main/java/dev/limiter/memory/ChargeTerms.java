package dev.limiter.memory;

import dev.limiter.Charge;
import dev.limiter.CompiledLimit;

/**
 * What is asked of a cell beyond "so many permits, now".
 *
 * @param keptPercent the share of each limit that must be left
 * @param maxWait the longest wait for a turn, in nanoseconds
 * @param imposed how long the request waits in any case, because of another rule
 */
record ChargeTerms(long permits, int keptPercent, long maxWait, long imposed) {

    private static final long LONGEST = Long.MAX_VALUE / 4;

    static ChargeTerms of(Charge charge, long imposed) {
        long maxWait = charge.maxWait().toSeconds() > LONGEST / 1_000_000_000
                ? LONGEST
                : charge.maxWait().toNanos();
        return new ChargeTerms(charge.permits(), charge.keptPercent(), maxWait, imposed);
    }

    static ChargeTerms plain(long permits) {
        return new ChargeTerms(permits, 0, 0, 0);
    }

    /** How many permits of a limit must be left. */
    long kept(CompiledLimit limit) {
        return keptPercent == 0 ? 0 : limit.capacity() / 100 * keptPercent + limit.capacity() % 100 * keptPercent / 100;
    }

    /** How many permits of a limit there have to be. */
    long needed(CompiledLimit limit) {
        long needed = permits + kept(limit);
        return needed < 0 ? Long.MAX_VALUE : needed;
    }
}
