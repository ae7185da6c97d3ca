package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.SlidingWindowLimit;

/**
 * {@link Algorithm#SLIDING_WINDOW_LOG}: remembers when each permit was taken; exactly {@code limit} over any window.
 */
public final class SlidingWindowLogStrategy implements RateLimiterStrategy {

    @Override
    public Algorithm algorithm() {
        return Algorithm.SLIDING_WINDOW_LOG;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit instanceof Limit.SlidingWindowLog log) {
            return new LogLimit(log);
        }
        throw new IllegalArgumentException(limit + " is no sliding window log");
    }

    private static final class LogLimit extends SlidingWindowLimit {

        private final long limit;
        private final long nanos;

        LogLimit(Limit.SlidingWindowLog limit) {
            super(limit);
            this.limit = limit.limit();
            this.nanos = limit.window().toNanos();
        }

        @Override
        public long forgottenAt(long takenAt) {
            return takenAt + nanos;
        }

        @Override
        public LimitState newState() {
            return new PermitLog(limit, nanos);
        }
    }
}
