package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** No permit too many, however many threads race; the same tests fail on a {@link BrokenStorage}. */
@Tag("race")
class ConcurrencyTests {

    private static final RateLimiterFactory FACTORY = new RateLimiterFactory();
    private static final int THREADS = 8;
    private static final int RUNS = 100;
    private static final Duration WINDOW = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final Threads threads = new Threads();

    @AfterEach
    void stopThreads() {
        threads.close();
    }

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(50, WINDOW),
                Limit.leakyBucket(50, WINDOW),
                Limit.fixedWindow(50, WINDOW),
                Limit.slidingWindowCounter(50, WINDOW).buckets(1),
                Limit.slidingWindowCounter(50, WINDOW),
                Limit.slidingWindowLog(50, WINDOW));
    }

    private static RateLimiterStorage sound(TimeSource clock) {
        return new InMemoryRateLimiterStorage(FACTORY, clock, 1000);
    }

    /** Returns how many permits the threads got in all; each takes permits until one permit is rejected. */
    private long takeAll(RateLimiterStorage storage, SplittableRandom random, List<Charge> charges) {
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int tries = 10 + random.nextInt(20);
            tasks.add(() -> {
                long taken = 0;
                for (int i = 0; i < tries; i++) {
                    taken += storage.decide(charges).permitted() ? 1 : 0;
                }
                return taken;
            });
        }
        return threads.race(tasks).stream().mapToLong(Long::longValue).sum();
    }

    /** The limits alone, and next to a larger one. */
    static Stream<Rule> rules() {
        return limits().flatMap(limit -> Stream.of(
                Rule.of("rule", limit),
                Rule.of("rule", limit, Limit.tokenBucket(60, WINDOW).named("second"))));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void grantsExactlyTheSmallestLimit(Rule rule) {
        for (int seed = 0; seed < RUNS; seed++) {
            assertThat(takeAll(sound(time), new SplittableRandom(seed), List.of(rule.charge("key"))))
                    .as("seed %d", seed)
                    .isEqualTo(50);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void grantsExactlyTheSmallestOfSeveralCharges(Limit limit) {
        // a lost race returns permits, so others may be rejected in the meantime; never above the limit
        Rule rule = Rule.of("rule", limit);
        Rule site = Rule.of(
                "site",
                Limit.tokenBucket(70, WINDOW),
                Limit.slidingWindowLog(55, WINDOW).named("log"));
        for (int seed = 0; seed < RUNS; seed++) {
            RateLimiterStorage storage = sound(time);
            List<Charge> charges = seed % 2 == 0
                    ? List.of(rule.charge("key"), site.charge())
                    : List.of(site.charge(), rule.charge("key"));
            long taken = takeAll(storage, new SplittableRandom(seed), charges);
            assertThat(taken).as("seed %d", seed).isLessThanOrEqualTo(50);
            for (long left = 50 - taken; left > 0; left--) {
                assertThat(storage.decide(charges).permitted()).isTrue();
            }
            assertThat(storage.decide(charges).permitted()).isFalse();
            assertThat(storage.decide(site, Charge.SHARED, 0).remaining()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void grantsTheReserveWithPriority(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        Charge[] charges = {rule.charge("key").reserve(30), rule.charge("key")};
        for (int seed = 0; seed < RUNS; seed++) {
            RateLimiterStorage storage = sound(time);
            List<Callable<long[]>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread;
                tasks.add(() -> {
                    long[] taken = new long[2];
                    for (int i = 0; i < 30; i++) {
                        int which = (first + i) % 2;
                        taken[which] += storage.decide(List.of(charges[which])).permitted() ? 1 : 0;
                    }
                    return taken;
                });
            }
            List<long[]> taken = threads.race(tasks);
            assertThat(taken.stream().mapToLong(each -> each[0]).sum())
                    .as("without priority, seed %d", seed)
                    .isLessThanOrEqualTo(35);
            assertThat(taken.stream().mapToLong(each -> each[0] + each[1]).sum())
                    .as("all, seed %d", seed)
                    .isEqualTo(50);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void refundsKeepTheCountExact(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        for (int seed = 0; seed < RUNS / 4; seed++) {
            RateLimiterStorage storage = sound(time);
            AtomicLong held = new AtomicLong();
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                long permits = 1 + thread % 3 * 7L;
                tasks.add(() -> {
                    long most = 0;
                    for (int i = 0; i < 50; i++) {
                        Decision decision = storage.decide(rule, "key", permits);
                        if (decision.permitted()) {
                            most = Math.max(most, held.addAndGet(permits));
                            held.addAndGet(-permits);
                            decision.giveBack();
                        }
                    }
                    return most;
                });
            }
            assertThat(threads.race(tasks)).allMatch(most -> most <= 50);
            assertThat(storage.decide(rule, "key", 0).remaining()).isEqualTo(50);
        }
    }

    /** A clock that makes threads lose the processor often between reading it and using the result. */
    private static long interruptingTime() {
        long now = TimeSource.system().epochNanos();
        if (ThreadLocalRandom.current().nextInt(10) == 0) {
            LockSupport.parkNanos(20_000);
        }
        return now;
    }

    /** Also on the first requests for a key. */
    @ParameterizedTest
    @MethodSource("rules")
    void changingLimitsLosesNothing(Rule rule) {
        Limit limit = rule.limits().get(0);
        Limit larger = switch (limit.algorithm()) {
            case TOKEN_BUCKET -> Limit.tokenBucket(55, WINDOW);
            case LEAKY_BUCKET -> Limit.leakyBucket(55, WINDOW);
            case FIXED_WINDOW -> Limit.fixedWindow(55, WINDOW);
            case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(55, WINDOW);
            default -> Limit.slidingWindowCounter(55, WINDOW).buckets(((Limit.SlidingWindowCounter) limit).buckets());
        };
        List<Limit> limits = new ArrayList<>(rule.limits());
        limits.set(0, larger);
        Rule[] rules = {rule, Rule.of("rule", limits.toArray(Limit[]::new))};
        for (int seed = 0; seed < RUNS; seed++) {
            RateLimiterStorage storage = sound(seed % 2 == 0 ? time : ConcurrencyTests::interruptingTime);
            time.advance(0); // each run may read it often
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread;
                tasks.add(() -> {
                    long taken = 0;
                    for (int i = 0; i < 20; i++) {
                        Rule either = rules[(first + i) % 2];
                        taken += storage.decide(either, "key", 1).permitted() ? 1 : 0;
                    }
                    return taken;
                });
            }
            assertThat(threads.race(tasks).stream().mapToLong(Long::longValue).sum())
                    .as("seed %d", seed)
                    .isEqualTo(55);
            assertThat(storage.size()).isEqualTo(1);
        }
    }

    /** Runs until it has found the fault, because threads rarely race on a busy machine. */
    @ParameterizedTest
    @EnumSource(names = {"NO_COMPARE", "NO_LOCK", "NO_VERSION"})
    void stressFindsTheFault(BrokenStorage.Fault fault) {
        Limit limit = Limit.fixedWindow(50, WINDOW);
        Rule rule = fault == BrokenStorage.Fault.NO_VERSION
                ? Rule.of("rule", limit, Limit.tokenBucket(60, WINDOW).named("second"))
                : Rule.of("rule", limit);
        assertThatThrownBy(() -> {
                    for (int seed = 0; ; seed++) {
                        RateLimiterStorage storage = new BrokenStorage(fault, FACTORY, time);
                        long taken = takeAll(storage, new SplittableRandom(seed), List.of(rule.charge("key")));
                        assertThat(taken).isEqualTo(50);
                    }
                })
                .isInstanceOfAny(AssertionError.class, RuntimeException.class);
    }
}
