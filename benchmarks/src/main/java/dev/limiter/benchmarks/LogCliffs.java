package dev.limiter.benchmarks;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.benchmarks.harness.Measurement;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures single decisions on a sliding window log of a million entries whose cost would depend on its size if
 * the work were not bounded; for {@code Tables log}.
 */
public final class LogCliffs {

    private static final int ENTRIES = 1_000_000;
    private static final Duration WINDOW = Duration.ofSeconds(1);
    private static final long START = 1_700_000_000_000_000_000L;

    private final AtomicLong clock = new AtomicLong(START);
    private final TimeSource time = clock::get;
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();
    private final Rule rule = Rule.of("rule", Limit.slidingWindowLog(ENTRIES, WINDOW));
    private final Rule tier = Rule.of("rule", Limit.slidingWindowLog(2 * ENTRIES, WINDOW));

    private LogCliffs() {}

    public static void main(String[] args) {
        new LogCliffs().full("a permit", 2000, log -> log.wait(1000).decide(1));
        new LogCliffs().full("a rejection of one permit", 2000, log -> log.decide(1));
        new LogCliffs().full("a rejection of half the limit", 2000, log -> log.decide(ENTRIES / 2));
        new LogCliffs()
                .full(
                        "two decisions, under two tiers in turn",
                        200,
                        log -> log.wait(1000).inTurn());
        new LogCliffs()
                .full(
                        "first call after half a window without any",
                        1,
                        log -> log.wait(500_000_000).decide(1));
        new LogCliffs()
                .full(
                        "first call after a step back of the clock by a window",
                        1,
                        log -> log.wait(-1_000_000_000).decide(1));
        new LogCliffs().fill("a permit while the log grows");
    }

    private interface Call {

        void on(LogCliffs log);
    }

    /** Measures calls on a full log, which is created again for each round. */
    private void full(String name, int calls, Call call) {
        int rounds = 12;
        long[] took = new long[rounds * calls];
        for (int round = 0; round < rounds; round++) {
            limiters.reset(rule, "key");
            clock.addAndGet(10_000_000_000L);
            for (int i = 0; i < ENTRIES; i++) {
                clock.addAndGet(900);
                decide(1);
            }
            for (int i = 0; i < calls; i++) {
                long before = System.nanoTime();
                call.on(this);
                took[round * calls + i] = System.nanoTime() - before;
            }
        }
        // the first rounds are not compiled yet
        print(name, Arrays.copyOfRange(took, 2 * calls, took.length));
    }

    private void fill(String name) {
        long[] took = new long[ENTRIES];
        for (int round = 0; round < 4; round++) {
            limiters.reset(rule, "key");
            clock.addAndGet(10_000_000_000L);
            for (int i = 0; i < ENTRIES; i++) {
                clock.addAndGet(900);
                long before = System.nanoTime();
                decide(1);
                took[i] = System.nanoTime() - before;
            }
        }
        print(name, took);
    }

    private static void print(String name, long[] took) {
        Arrays.sort(took);
        new Measurement("log", name, "median", took[took.length / 2] / 1e3).print();
        new Measurement("log", name, "largest", took[took.length - 1] / 1e3).print();
    }

    private LogCliffs wait(int nanos) {
        clock.addAndGet(nanos);
        return this;
    }

    private void decide(long permits) {
        limiters.tryAcquire(rule, "key", permits);
    }

    private void inTurn() {
        limiters.tryAcquire(tier, "key");
        limiters.tryAcquire(rule, "key");
    }
}
