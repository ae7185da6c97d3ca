package dev.limiter.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.VirtualTime;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.LimitState;
import dev.limiter.spi.TakenPermits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares a sliding window log of many chunks with a list that is searched from its start. */
class PermitLogTests {

    private static final long SEED = Long.getLong("limiter.seed", 20_261_121L);
    private static final long WINDOW = 1_000_000;

    /** A slow, obvious implementation that visits every entry, and moves all when the clock steps back. */
    private static final class Entries {

        final List<long[]> entries = new ArrayList<>();

        void forget(long now) {
            if (!entries.isEmpty() && last() - now > WINDOW / 2) {
                long ahead = last() - now;
                entries.forEach(entry -> entry[0] -= ahead);
            }
            entries.removeIf(entry -> entry[0] <= now - WINDOW);
        }

        long last() {
            return entries.get(entries.size() - 1)[0];
        }

        long total() {
            return entries.stream().mapToLong(entry -> entry[1]).sum();
        }

        long take(long now, long permits) {
            long time = entries.isEmpty() ? now : Math.max(now, last());
            entries.add(new long[] {time, permits});
            return time;
        }

        void giveBack(long mark, long permits) {
            long left = permits;
            for (long[] entry : entries) {
                long returned = entry[0] == mark ? Math.min(left, entry[1]) : 0;
                entry[1] -= returned;
                left -= returned;
            }
            entries.removeIf(entry -> entry[1] == 0);
        }

        long waitNanos(long now, long limit, long permits) {
            long missing = permits - (limit - total());
            for (long[] entry : entries) {
                if (missing <= 0) {
                    return 0;
                }
                missing -= entry[1];
                if (missing <= 0) {
                    return entry[0] + WINDOW - now;
                }
            }
            return 0;
        }

        long freshAt(long now) {
            return entries.isEmpty() ? now : last() + WINDOW;
        }

        Entries copy() {
            Entries copy = new Entries();
            entries.forEach(entry -> copy.entries.add(entry.clone()));
            return copy;
        }
    }

    private static final class Run {

        final SplittableRandom random;
        final CompiledLimit compiled;
        final long limit;
        final long pause;
        LimitState log;
        Entries expected = new Entries();
        final List<long[]> taken = new ArrayList<>();
        long now = VirtualTime.START;

        Run(SplittableRandom random, long limit, long pause) {
            this.random = random;
            this.limit = limit;
            this.pause = pause;
            this.compiled = compile(limit);
            this.log = compiled.newState();
        }

        void step() {
            now += step(random.nextInt(2000));
            expected.forget(now);
            switch (random.nextInt(8)) {
                case 0, 1 -> giveBack();
                case 2 -> carry();
                default -> take();
            }
            check(log, expected);
        }

        private long step(int kind) {
            return switch (kind) {
                case 0 -> 3 * WINDOW;
                case 1 -> WINDOW - random.nextLong(WINDOW / 100);
                case 2, 3 -> random.nextLong(WINDOW);
                case 4, 5, 6 -> -random.nextLong(WINDOW / 2);
                case 7 -> -random.nextLong(5 * WINDOW);
                default -> random.nextInt(3) == 0 ? 0 : random.nextLong(2 * pause);
            };
        }

        private void take() {
            long permits = random.nextInt(10) == 0 ? 1 + random.nextLong(limit / 10 + 1) : 1;
            long wait = log.waitNanos(now, permits);
            assertThat(wait).isEqualTo(expected.waitNanos(now, limit, permits));
            if (wait == 0) {
                long mark = log.take(now, permits);
                assertThat(mark).isEqualTo(expected.take(now, permits));
                taken.add(new long[] {mark, permits});
            }
        }

        /** Often returns the last permits, sometimes many from somewhere in the middle. */
        private void giveBack() {
            int count = random.nextInt(100) == 0 ? 200 : 1;
            int place = random.nextInt(taken.size() + 1);
            for (int i = 0; i < count && !taken.isEmpty(); i++) {
                int last = taken.size() - 1;
                long[] entry = taken.remove(count > 1 ? Math.min(place, last) : last - random.nextInt(last / 4 + 1));
                long permits = random.nextInt(4) == 0 ? random.nextLong(entry[1] + 1) : entry[1];
                log.giveBack(new TakenPermits(entry[0], now, 0, permits), now);
                expected.giveBack(entry[0], permits);
            }
        }

        /** Another log takes over this one's entries, and this one continues. */
        private void carry() {
            LimitState successor = compiled.newState();
            successor.carry(log, compiled, now);
            LimitState predecessor = log;
            Entries before = expected.copy();
            log = successor;
            int taking = random.nextInt(40);
            for (int i = 0; i < taking; i++) {
                take();
            }
            giveBack();
            check(predecessor, before);
            if (random.nextBoolean()) {
                check(log, expected);
                log = predecessor;
                expected = before;
            }
        }

        private void check(LimitState state, Entries as) {
            assertThat(state.remaining(now)).isEqualTo(Math.max(limit - as.total(), 0));
            assertThat(state.freshAt(now)).isEqualTo(as.freshAt(now));
            long permits = 1 + random.nextLong(limit);
            assertThat(state.waitNanos(now, permits)).isEqualTo(as.waitNanos(now, limit, permits));
            assertThat(state.waitNanos(now, limit)).isEqualTo(as.waitNanos(now, limit, limit));
        }
    }

    private static CompiledLimit compile(long limit) {
        return new SlidingWindowLog(Limit.slidingWindowLog(limit, Duration.ofNanos(WINDOW)));
    }

    @ParameterizedTest
    @CsvSource({"1, 1000", "5, 100000", "20, 50000", "33, 20000", "100, 10000", "700, 1000", "3000, 250"})
    void behavesLikeAListOfEntries(long limit, long pause) {
        for (int run = 0; run < 3; run++) {
            Run log = new Run(new SplittableRandom(SEED + run), limit, pause);
            for (int i = 0; i < 3_000; i++) {
                try {
                    log.step();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("-Dlimiter.seed=" + SEED + ", run " + run + ", step " + i, e);
                }
            }
        }
    }

    @Test
    void isFastWithManyEntries() {
        int entries = 100_000;
        CompiledLimit compiled = compile(entries);
        LimitState log = compiled.newState();
        long start = VirtualTime.START;
        for (int i = 0; i < entries; i++) {
            log.take(start + i, 1);
        }
        long now = start + entries - 1;
        for (int permits = 1; permits < entries; permits += 97) {
            assertThat(log.waitNanos(now, permits)).isEqualTo(start + permits - 1 + WINDOW - now);
        }
        for (int i = 1; i < entries; i += 2) {
            log.giveBack(new TakenPermits(start + i, now, 0, 1), now);
        }
        assertThat(log.remaining(now)).isEqualTo(entries / 2);
        assertThat(log.waitNanos(now, entries / 2 + 1000)).isEqualTo(start + 1998 + WINDOW - now);
        assertThat(log.remaining(start + WINDOW + entries / 2 - 1)).isEqualTo(entries * 3 / 4);
        assertThat(log.freshAt(now)).isEqualTo(start + entries - 2 + WINDOW);
    }
}
