package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two instances with four threads each, with the clock of the server: never more than a limit allows. */
@Tag("race")
class ManyThreadsTests {

    private static final int THREADS = 8;
    private static final int REQUESTS = 1000;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final String prefix = "threads-" + System.nanoTime();
    private final List<RateLimiterStorage> instances =
            List.of(RedisStorageProvider.of(null, prefix), RedisStorageProvider.of(null, prefix));

    static Stream<Rule> rules() {
        return Stream.of(
                Rule.of("token", Limit.tokenBucket(500, DAY)),
                Rule.of("fast token", Limit.tokenBucket(500, SECOND)),
                Rule.of("leaky", Limit.leakyBucket(500, SECOND)),
                Rule.of("paced", Limit.leakyBucket(500, SECOND).paced()),
                Rule.of("warm", Limit.tokenBucket(500, SECOND).warmUp(SECOND)),
                Rule.of("fixed", Limit.fixedWindow(500, DAY)),
                Rule.of("first", Limit.fixedWindow(500, DAY).alignFirst()),
                Rule.of("counter", Limit.slidingWindowCounter(500, DAY)),
                Rule.of("log", Limit.slidingWindowLog(500, DAY)),
                Rule.of(
                        "several",
                        Limit.slidingWindowLog(500, DAY).named("log"),
                        Limit.tokenBucket(600, DAY).named("bucket")));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void neverMoreThanTheLimit(Rule rule) {
        AtomicLong granted = new AtomicLong();
        long start = System.nanoTime();
        race(storage -> {
            if (storage.decide(List.of(rule.charge("key"))).permitted()) {
                granted.incrementAndGet();
            }
        });
        double windows = (double) (System.nanoTime() - start)
                / rule.limits().get(0).window().toNanos();
        Limit limit = rule.limits().get(0);
        boolean oneByOne = rule.name().equals("paced") || rule.name().equals("warm");
        long atOnce = oneByOne ? 1 : limit.capacity();
        // plus permits that become free in the meantime; a window of a day may just end
        long most = atOnce + (long) Math.ceil(windows * 1.01 * limit.limit());
        assertThat(granted.get()).isBetween(atOnce, limit instanceof Limit.FixedWindow ? 2 * atOnce : most);
    }

    @Test
    void neverMoreInFlightThanTheLimit() {
        Rule rule = Rule.of("pool", Limit.concurrency(3));
        AtomicLong inFlight = new AtomicLong();
        AtomicLong most = new AtomicLong();
        AtomicLong permitted = new AtomicLong();
        race(storage -> {
            try (Decision decision = storage.decide(List.of(rule.charge("key")))) {
                if (decision.permitted()) {
                    permitted.incrementAndGet();
                    most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                    Thread.yield();
                    inFlight.decrementAndGet();
                }
            }
        });
        assertThat(most.get()).isBetween(1L, 3L);
        assertThat(permitted.get()).isGreaterThan(REQUESTS / 10);
        assertThat(instances.get(0).peek(rule, "key").remaining()).isEqualTo(3);
    }

    private interface Request {
        void send(RateLimiterStorage storage);
    }

    private void race(Request request) {
        AtomicLong number = new AtomicLong();
        Callable<Boolean> caller = () -> {
            RateLimiterStorage storage = instances.get((int) (number.getAndIncrement() % instances.size()));
            for (int i = 0; i < REQUESTS; i++) {
                request.send(storage);
            }
            return true;
        };
        try (Threads threads = new Threads()) {
            assertThat(threads.race(Collections.nCopies(THREADS, caller))).doesNotContain(false);
        }
    }
}
