package dev.limiter.memory;

import dev.limiter.Charge;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.PermitArithmetic;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a charge other than a plain number of permits.
 *
 * @param permits the most permits of any limit
 * @param reserve the percentage of each limit that must be left
 * @param maxWait the longest wait for a turn, in nanoseconds
 * @param costs the permits per limit; null if they are all the same
 */
record ChargeTerms(long permits, int reserve, long maxWait, long @Nullable [] costs) {

    private static final long LONGEST = Long.MAX_VALUE / 4;

    static ChargeTerms of(Charge charge) {
        long maxWait = charge.maxWait().toSeconds() > LONGEST / 1_000_000_000
                ? LONGEST
                : charge.maxWait().toNanos();
        return new ChargeTerms(charge.permits(), charge.reserve(), maxWait, costs(charge));
    }

    private static long @Nullable [] costs(Charge charge) {
        if (PermitArithmetic.isEven(charge)) {
            return null;
        }
        long[] costs = new long[charge.rule().limits().size()];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = charge.permits(i);
        }
        return costs;
    }

    static ChargeTerms plain(long permits) {
        return new ChargeTerms(permits, 0, 0, null);
    }

    /** Returns the permits to take from the limit at {@code index}. */
    long permits(int index) {
        return costs == null ? permits : costs[index];
    }

    /** Returns the permits of a limit that must be left. */
    long kept(CompiledLimit limit) {
        return reserve == 0 ? 0 : PermitArithmetic.reserved(limit.capacity(), reserve);
    }

    /** Returns how many permits the limit at {@code index} must have available; 0 if none are taken. */
    long needed(int index, CompiledLimit limit) {
        long permits = permits(index);
        long needed = permits + kept(limit);
        return permits == 0 ? 0 : needed < 0 ? Long.MAX_VALUE : needed;
    }
}
