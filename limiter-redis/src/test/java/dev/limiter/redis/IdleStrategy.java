package dev.limiter.redis;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.Taken;
import org.jspecify.annotations.Nullable;

/**
 * An algorithm that the library does not have, for limits with the name {@code idle}: permits count until a key has taken
 * none for a whole window.
 */
final class IdleStrategy implements RedisStrategy {

    static final String SCRIPT = """
            -- State: the time of the last permit, how many count, and the time of the first of them.
            local window, last, used, first = terms[1], now, 0, now
            if state then
              last, used, first = unpack('>ddd', state)
              last = math.min(last, now)
            end
            if used == 0 or now - last >= window then
              last, used, first = now, 0, now
            end
            used = used + others
            left = math.max(capacity - used, 0)
            reset = used > 0 and last + window - now or 0
            refusal = asked > left and last + window - now or 0

            -- take
            if count > 0 then
              last, used = now, used + count
            end
            state = pack('>ddd', last, used, first)
            left = math.max(capacity - used, 0)
            reset = used > 0 and last + window - now or 0
            refusal = left > 0 and 0 or reset
            mark = now

            -- give back
            local last, used, first = unpack('>ddd', state)
            if mark >= first and now - math.min(last, now) < terms[1] then
              used = math.max(used - permits, 0)
              state = pack('>ddd', last, used, first)
              left = capacity - used
              reset = used > 0 and math.min(last, now) + terms[1] - now or 0
            end
            """;

    private final RateLimiterStrategy others = new RateLimiterFactory().strategy(Algorithm.FIXED_WINDOW);

    @Override
    public Algorithm algorithm() {
        return Algorithm.FIXED_WINDOW;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        return isOwn(limit) ? new Idle(limit) : others.compile(limit, now);
    }

    private static boolean isOwn(Limit limit) {
        return limit.name().equals("idle");
    }

    @Override
    public String script() {
        return SCRIPT;
    }

    @Override
    public long @Nullable [] terms(Limit limit) {
        return isOwn(limit) ? new long[] {limit.window().toNanos() / 1000} : null;
    }

    private static final class Idle extends CompiledLimit {

        private final long window;

        Idle(Limit limit) {
            super(limit);
            this.window = limit.window().toNanos();
        }

        @Override
        public LimitState newState() {
            return new State();
        }

        private final class State implements LimitState {

            private long last;
            private long used;
            private long first;

            private long used(long now) {
                last = Math.min(last, now);
                if (used == 0 || now - last >= window) {
                    used = 0;
                    last = now;
                    first = now;
                }
                return used;
            }

            @Override
            public long waitNanos(long now, long permits) {
                if (permits > capacity()) {
                    return Decision.NEVER;
                }
                return permits <= remaining(now) ? 0 : last + window - now;
            }

            @Override
            public long take(long now, long permits) {
                used = used(now) + permits;
                last = permits > 0 ? now : last;
                return now;
            }

            @Override
            public void giveBack(Taken taken, long now) {
                if (used(now) > 0 && taken.mark() >= first) {
                    used = Math.max(used - taken.permits(), 0);
                }
            }

            @Override
            public long remaining(long now) {
                return Math.max(capacity() - used(now), 0);
            }

            @Override
            public long freshAt(long now) {
                return used == 0 ? Long.MIN_VALUE : last + window;
            }
        }
    }
}
