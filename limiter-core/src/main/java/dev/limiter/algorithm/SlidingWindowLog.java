package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.SlidingWindowLimit;

/** Records when each permit was taken: exactly {@code limit} over any window. */
final class SlidingWindowLog extends SlidingWindowLimit {

    private final long limit;
    private final long nanos;

    SlidingWindowLog(Limit.SlidingWindowLog limit) {
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
