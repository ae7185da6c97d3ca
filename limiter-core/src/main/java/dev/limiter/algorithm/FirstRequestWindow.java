package dev.limiter.algorithm;

import dev.limiter.Limit;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.TakenPermits;

/** A fixed window that starts with the first request after the previous window. */
final class FirstRequestWindow extends CompiledLimit {

    private final long limit;
    private final long nanos;

    FirstRequestWindow(Limit.FixedWindow limit) {
        super(limit);
        this.limit = limit.limit();
        this.nanos = limit.window().toNanos();
    }

    @Override
    public LimitState newState() {
        return new State(this);
    }

    /** The permits used in the current window; may exceed a limit that was lowered. */
    private static final class State implements LimitState {

        private final FirstRequestWindow window;
        private long start;
        private long used;

        State(FirstRequestWindow window) {
            this.window = window;
        }

        @Override
        public long waitNanos(long now, long permits) {
            if (permits > window.limit) {
                return CompiledLimit.NEVER;
            }
            return permits <= remaining(now) ? 0 : start + window.nanos - now;
        }

        @Override
        public long take(long now, long permits) {
            advance(now);
            if (used == 0) {
                start = now;
            }
            used += permits;
            return start;
        }

        @Override
        public void giveBack(TakenPermits taken, long now) {
            advance(now);
            if (taken.mark() == start) {
                used = Math.max(used - taken.permits(), 0);
            }
        }

        @Override
        public long remaining(long now) {
            advance(now);
            return Math.max(window.limit - used, 0);
        }

        @Override
        public long freshAt(long now) {
            advance(now);
            return used == 0 ? now : start + window.nanos;
        }

        @Override
        public void carry(LimitState previous, CompiledLimit previousLimit, long now) {
            if (previous instanceof State state && state.counts(now) && now < state.start + window.nanos) {
                start = state.start;
                used = state.used;
            } else {
                LimitState.super.carry(previous, previousLimit, now);
            }
        }

        private boolean counts(long now) {
            advance(now);
            return used > 0;
        }

        /**
         * Starts a new window if the current one is over. After a large step back of the clock, the window moves back
         * too; a small step is ignored.
         */
        private void advance(long now) {
            if (now >= start + window.nanos) {
                used = 0;
            } else if (start - now > window.nanos / 2) {
                start = now;
            }
        }
    }
}
