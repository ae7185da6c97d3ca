package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.NumberLimit;
import dev.limiter.NumberState;
import dev.limiter.RateLimiterStrategy;

/** {@link Algorithm#CONCURRENCY}: {@code limit} in flight; a permit is held until its decision is closed. */
public final class ConcurrencyStrategy implements RateLimiterStrategy {

    @Override
    public Algorithm algorithm() {
        return Algorithm.CONCURRENCY;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit instanceof Limit.Concurrency concurrency) {
            return new InFlight(concurrency);
        }
        throw new IllegalArgumentException(limit + " is no concurrency limit");
    }

    /** The number is how many are in flight: more than the limit for a while, if that was lowered. Time is nothing. */
    private static final class InFlight extends NumberLimit {

        private final long limit;

        InFlight(Limit.Concurrency limit) {
            super(limit);
            this.limit = limit.limit();
        }

        @Override
        public long fresh() {
            return 0;
        }

        @Override
        public long take(long value, long now, long permits) {
            return permits <= limit - value ? value + permits : REFUSED;
        }

        @Override
        public long waitNanos(long value, long now, long permits) {
            if (permits > limit) {
                return Decision.NEVER;
            }
            return permits <= limit - value ? 0 : Decision.UNKNOWN;
        }

        @Override
        public long remaining(long value, long now) {
            return Math.max(limit - value, 0);
        }

        @Override
        public long freshAt(long value) {
            return value == 0 ? Long.MIN_VALUE : NOT_BY_TIME;
        }

        @Override
        public long giveBack(long value, long taken, long now, long permits) {
            return taken == NOTHING ? value : Math.max(value - permits, 0);
        }

        @Override
        public long carry(CompiledLimit previous, LimitState state, long now) {
            boolean same = previous instanceof InFlight && state instanceof NumberState;
            return same ? ((NumberState) state).value() : 0;
        }
    }
}
