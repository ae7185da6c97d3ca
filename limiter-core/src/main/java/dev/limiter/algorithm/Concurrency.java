package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.NumberState;
import dev.limiter.spi.SingleNumberLimit;
import dev.limiter.spi.TakenPermits;

/**
 * {@link Algorithm#CONCURRENCY}. The state is the number of permits in flight, which may exceed a limit that was
 * lowered. Time has no effect.
 */
final class Concurrency extends SingleNumberLimit {

    private final long limit;

    Concurrency(Limit.Concurrency limit) {
        super(limit);
        this.limit = limit.limit();
    }

    @Override
    public long fresh() {
        return 0;
    }

    @Override
    public long take(long value, long now, long permits) {
        return permits <= limit - value ? value + permits : REJECTED;
    }

    @Override
    public long waitNanos(long value, long now, long permits) {
        if (permits > limit) {
            return CompiledLimit.NEVER;
        }
        return permits <= limit - value ? 0 : CompiledLimit.UNKNOWN;
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
    public long giveBack(long value, TakenPermits taken, long now) {
        return taken.mark() == NOTHING ? value : Math.max(value - taken.permits(), 0);
    }

    @Override
    public long carry(CompiledLimit previous, LimitState state, long now) {
        boolean same = previous instanceof Concurrency && state instanceof NumberState;
        return same ? ((NumberState) state).value() : 0;
    }
}
