package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitState;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.WindowLimit;

/** {@link Algorithm#SLIDING_WINDOW_LOG}: remembers when each permit was taken; exactly {@code limit} over any window. */
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

    private static final class LogLimit extends WindowLimit {

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
            return new Log(this);
        }
    }

    /**
     * Moments at which permits were taken, oldest first, each with how many: a ring of pairs whose size is a power of
     * two, doubled when full and halved when three quarters are empty.
     */
    private static final class Log implements LimitState {

        private static final int SMALLEST = 4;

        private final LogLimit limit;
        private long[] ring = new long[2 * SMALLEST];
        private int head;
        private int size;
        private long total;

        Log(LogLimit limit) {
            this.limit = limit;
        }

        @Override
        public long waitNanos(long now, long permits) {
            if (permits > limit.limit) {
                return Decision.NEVER;
            }
            forget(now);
            long missing = permits - (limit.limit - total);
            if (missing <= 0) {
                return 0;
            }
            int entry = 0;
            while ((missing -= permits(entry)) > 0) {
                entry++;
            }
            return time(entry) + limit.nanos - now;
        }

        @Override
        public long take(long now, long permits) {
            forget(now);
            // a clock that stepped back a little: in order, and as late as the last one
            long time = size == 0 ? now : Math.max(now, time(size - 1));
            if (size == 0 || time(size - 1) != time) {
                if (2 * size == ring.length) {
                    makeRoom();
                }
                size++;
                ring[index(size - 1)] = time;
                ring[index(size - 1) + 1] = 0;
            }
            ring[index(size - 1) + 1] += permits;
            total += permits;
            return time;
        }

        @Override
        public void giveBack(long mark, long now, long permits) {
            forget(now);
            int entry = find(mark);
            if (entry < size && time(entry) == mark) {
                long returned = Math.min(permits, permits(entry));
                ring[index(entry) + 1] -= returned;
                total -= returned;
            }
            while (size > 0 && permits(size - 1) == 0) {
                size--;
            }
        }

        @Override
        public long remaining(long now) {
            forget(now);
            return Math.max(limit.limit - total, 0);
        }

        @Override
        public long freshAt(long now) {
            forget(now);
            return total == 0 ? now : time(size - 1) + limit.nanos;
        }

        @Override
        public void carry(LimitState previous, CompiledLimit previousLimit, long now) {
            if (previous instanceof Log log && log.limit.nanos == limit.nanos) {
                ring = log.ring.clone();
                head = log.head;
                size = log.size;
                total = log.total;
            } else {
                LimitState.super.carry(previous, previousLimit, now);
            }
        }

        /** Drops what has left the window. */
        private void forget(long now) {
            if (size == 0) {
                return;
            }
            long last = time(size - 1);
            if (last - now > limit.nanos / 2) {
                stepBack(last - now);
            } else if (last <= now - limit.nanos) {
                clear();
                return;
            }
            while (size > 0 && time(0) <= now - limit.nanos) {
                total -= permits(0);
                head = (head + 2) & (ring.length - 1);
                size--;
            }
            if (8 * size < ring.length && ring.length > 2 * SMALLEST) {
                resize(ring.length / 2);
            }
        }

        private void clear() {
            if (ring.length > 2 * SMALLEST) {
                ring = new long[2 * SMALLEST];
            }
            head = 0;
            size = 0;
            total = 0;
        }

        /** The clock stepped back far: what was remembered moves back with it, or it would block for too long. */
        private void stepBack(long nanos) {
            for (int entry = 0; entry < size; entry++) {
                ring[index(entry)] -= nanos;
            }
        }

        /** Drops what was given back; doubles the ring unless that left half of it empty. */
        private void makeRoom() {
            int taken = 0;
            for (int entry = 0; entry < size; entry++) {
                taken += permits(entry) == 0 ? 0 : 1;
            }
            resize(4 * taken > ring.length ? ring.length * 2 : ring.length);
        }

        private void resize(int length) {
            long[] resized = new long[length];
            int kept = 0;
            for (int entry = 0; entry < size; entry++) {
                if (permits(entry) != 0) {
                    resized[2 * kept] = time(entry);
                    resized[2 * kept + 1] = permits(entry);
                    kept++;
                }
            }
            ring = resized;
            head = 0;
            size = kept;
        }

        /** The first entry at or after a time. */
        private int find(long time) {
            int low = 0;
            int high = size;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (time(middle) < time) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        private long time(int entry) {
            return ring[index(entry)];
        }

        private long permits(int entry) {
            return ring[index(entry) + 1];
        }

        private int index(int entry) {
            return (head + 2 * entry) & (ring.length - 1);
        }
    }
}
