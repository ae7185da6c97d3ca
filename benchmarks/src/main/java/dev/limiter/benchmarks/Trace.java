package dev.limiter.benchmarks;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ten seconds of requests in simulated time, and those that a limit permits. Times are nanoseconds from the start,
 * which is a whole second of the epoch. Every run gives the same result.
 */
record Trace(List<Long> requests, List<Long> permitted) {

    /** Requests are counted in steps of 100 ms. */
    static final int STEPS = 100;

    static final long STEP = Duration.ofMillis(100).toNanos();

    static final long SECOND = Duration.ofSeconds(1).toNanos();

    private static final long START = 1_800_000_000L * SECOND;

    /** The arrivals of a phase: the number of requests in each step of a range. */
    record Phase(String name, int from, int to, int each) {}

    /** Requests for a limit of 20 per second. */
    static final List<Phase> PHASES = List.of(
            new Phase("half the rate", 0, 10, 1),
            new Phase("twice the rate", 10, 40, 4),
            new Phase("burst", 54, 56, 15),
            new Phase("bursts around a boundary", 79, 81, 20),
            new Phase("twice the rate", 81, 95, 4));

    static Trace of(Limit limit) {
        AtomicLong now = new AtomicLong(START);
        Rule rule = Rule.of("trace", limit);
        List<Long> requests = arrivals();
        List<Long> permitted = new ArrayList<>();
        try (RateLimiters limiters = RateLimiters.builder().timeSource(now::get).build()) {
            for (long request : requests) {
                now.set(START + request);
                if (limiters.tryAcquire(rule, "key").permitted()) {
                    permitted.add(request);
                }
            }
        }
        return new Trace(requests, permitted);
    }

    /** The requests of a step are spread evenly. */
    private static List<Long> arrivals() {
        List<Long> times = new ArrayList<>();
        for (Phase phase : PHASES) {
            for (int step = phase.from; step < phase.to; step++) {
                for (int i = 0; i < phase.each; i++) {
                    times.add(step * STEP + (2 * i + 1) * STEP / (2 * phase.each));
                }
            }
        }
        return times;
    }

    /** Returns how many of the times are in a step. */
    static long inStep(List<Long> times, int step) {
        return times.stream().filter(time -> time / STEP == step).count();
    }

    /**
     * Returns how many requests were permitted in the second before {@code time}, without its start and with its
     * end.
     */
    long inSecondUntil(long time) {
        return permitted.stream()
                .filter(each -> each > time - SECOND && each <= time)
                .count();
    }

    /** Returns the end of the first second with the most permitted requests. */
    long fullest() {
        long fullest = 0;
        for (long time : permitted) {
            if (inSecondUntil(time) > inSecondUntil(fullest)) {
                fullest = time;
            }
        }
        return fullest;
    }

    /** Returns the largest number of permitted requests in any second. */
    long largest() {
        return inSecondUntil(fullest());
    }
}
