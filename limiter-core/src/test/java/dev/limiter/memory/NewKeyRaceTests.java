package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** First requests for a key while its rule is replaced: each permit is granted once, and none is charged twice. */
@Tag("race")
class NewKeyRaceTests {

    private static final Duration WINDOW = Duration.ofHours(1);
    private static final int THREADS = 7;
    private static final int RUNS = 200;

    private final TimeSource system = TimeSource.system();
    private final RateLimiterStorage storage =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), this::time, 100_000);
    private final Threads threads = new Threads();

    /** Makes threads lose the processor often between reading the clock and using the result. */
    private long time() {
        long now = system.epochNanos();
        if (ThreadLocalRandom.current().nextInt(2) == 0) {
            LockSupport.parkNanos(20_000);
        }
        return now;
    }

    @AfterEach
    void stopThreads() {
        threads.close();
    }

    /** The limits of the previous rule and of the next one. */
    static Stream<List<Limit>> changes() {
        return Stream.of(
                List.of(Limit.tokenBucket(3, WINDOW), Limit.tokenBucket(5, WINDOW)),
                List.of(Limit.leakyBucket(3, WINDOW), Limit.leakyBucket(5, WINDOW)),
                List.of(Limit.fixedWindow(3, WINDOW), Limit.fixedWindow(5, WINDOW)),
                List.of(Limit.slidingWindowCounter(3, WINDOW), Limit.slidingWindowCounter(5, WINDOW)),
                List.of(Limit.slidingWindowLog(3, WINDOW), Limit.slidingWindowLog(5, WINDOW)));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void grantsTheLargerLimitOnce(List<Limit> change) {
        grantsTheLargerLimitOnce(Rule.of("rule", change.get(0)), Rule.of("rule", change.get(1)));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void grantsTheLargerLimitOnceNextToAnother(List<Limit> change) {
        Limit other = Limit.tokenBucket(6, WINDOW).named("other");
        grantsTheLargerLimitOnce(Rule.of("rule", change.get(0), other), Rule.of("rule", change.get(1), other));
    }

    /** At least five requests are decided by the next rule, which permits five. */
    private void grantsTheLargerLimitOnce(Rule former, Rule next) {
        for (int run = 0; run < RUNS; run++) {
            String key = "key" + run;
            List<Callable<Decision>> requests = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Rule rule = i < run % 3 ? former : next;
                requests.add(() -> storage.decide(rule, key, 1));
            }
            Collections.shuffle(requests, new Random(run));
            List<Decision> decisions = threads.race(requests);

            assertThat(decisions.stream().filter(Decision::permitted))
                    .as("run %d", run)
                    .hasSize(5);
        }
    }
}
