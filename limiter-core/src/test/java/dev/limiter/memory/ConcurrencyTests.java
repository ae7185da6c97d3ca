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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
    private static final long TICK = 1L << 27;

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

    private void grantsExactly(long limit, BiFunction<Integer, RateLimiterStorage, List<Charge>> charges) {
        for (int seed = 0; seed < RUNS; seed++) {
            RateLimiterStorage storage = sound(time);
            assertThat(takeAll(storage, new SplittableRandom(seed), charges.apply(seed, storage)))
                    .as("seed %d", seed)
                    .isEqualTo(limit);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void grantsExactlyTheLimit(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        grantsExactly(50, (seed, storage) -> List.of(rule.charge("key")));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void grantsExactlyTheSmallerOfTwoLimits(Limit limit) {
        Rule rule = Rule.of("rule", limit, Limit.tokenBucket(60, WINDOW).named("second"));
        grantsExactly(50, (seed, storage) -> List.of(rule.charge("key")));
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
    void grantsNothingOfTheReserveWithoutPriority(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        grantsExactly(35, (seed, storage) -> List.of(rule.charge("key").reserve(30)));
        Rule two = Rule.of("two", limit, Limit.tokenBucket(60, WINDOW).named("second"));
        grantsExactly(35, (seed, storage) -> List.of(two.charge("key").reserve(30)));
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

    @ParameterizedTest
    @MethodSource("limits")
    void changingLimitsLosesNothing(Limit limit) {
        Limit larger = switch (limit.algorithm()) {
            case TOKEN_BUCKET -> Limit.tokenBucket(80, WINDOW);
            case LEAKY_BUCKET -> Limit.leakyBucket(80, WINDOW);
            case FIXED_WINDOW -> Limit.fixedWindow(80, WINDOW);
            case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(80, WINDOW);
            default -> Limit.slidingWindowCounter(80, WINDOW).buckets(((Limit.SlidingWindowCounter) limit).buckets());
        };
        Rule[] rules = {Rule.of("rule", limit), Rule.of("rule", larger)};
        for (int seed = 0; seed < 3 * RUNS; seed++) {
            time.advance(Duration.ZERO); // each of them may read it often
            RateLimiterStorage storage = sound(time);
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread;
                tasks.add(() -> {
                    long taken = 0;
                    for (int i = 0; i < 30; i++) {
                        taken +=
                                storage.decide(rules[(first + i) % 2], "key", 1).permitted() ? 1 : 0;
                    }
                    return taken;
                });
            }
            assertThat(threads.race(tasks).stream().mapToLong(Long::longValue).sum())
                    .as("seed %d", seed)
                    .isEqualTo(80);
            assertThat(storage.size()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void decisionOnAStateThatExpiresIsNotLost(Limit limit) {
        Rule rule = Rule.of("rule", one(limit));
        assertThat(raceWithExpiry(sound(time), rule, 2000)).isZero();
        Rule two = Rule.of("two", one(limit), Limit.tokenBucket(2, WINDOW).named("second"));
        assertThat(raceWithExpiry(sound(time), two, 1000)).isZero();
    }

    private static Limit one(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET -> Limit.tokenBucket(1, WINDOW);
            case LEAKY_BUCKET -> Limit.leakyBucket(1, WINDOW);
            case FIXED_WINDOW -> Limit.fixedWindow(1, WINDOW);
            case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(1, WINDOW);
            default -> Limit.slidingWindowCounter(1, WINDOW);
        };
    }

    /** Returns how many permits of a limit of one were granted too many, while its state was due to expire. */
    private long raceWithExpiry(RateLimiterStorage storage, Rule rule, int rounds) {
        AtomicLong round = new AtomicLong();
        AtomicLong excess = new AtomicLong();
        AtomicLong granted = new AtomicLong();
        List<Callable<Long>> tasks = new ArrayList<>();
        java.util.concurrent.CyclicBarrier barrier = new java.util.concurrent.CyclicBarrier(4, () -> {
            excess.addAndGet(Math.max(granted.getAndSet(0) - 1, 0));
            time.advance(2 * WINDOW.toNanos() + TICK);
            round.incrementAndGet();
        });
        for (int thread = 0; thread < 4; thread++) {
            boolean cleaner = thread == 0;
            tasks.add(() -> {
                for (int i = 0; i < rounds; i++) {
                    barrier.await();
                    if (cleaner) {
                        storage.cleanUp();
                    } else if (storage.decide(rule, "key", 1).permitted()) {
                        granted.incrementAndGet();
                    }
                }
                return 0L;
            });
        }
        threads.race(tasks);
        return excess.get();
    }

    @Test
    void sizeIsExactAfterRaces() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, WINDOW));
        Rule other = Rule.of("rule", Limit.tokenBucket(20, WINDOW));
        RateLimiterStorage storage = sound(time);
        for (int seed = 0; seed < RUNS; seed++) {
            SplittableRandom seeds = new SplittableRandom(seed);
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                SplittableRandom random = seeds.split();
                tasks.add(() -> {
                    for (int i = 0; i < 100; i++) {
                        String key = "key" + random.nextInt(3);
                        switch (random.nextInt(5)) {
                            case 0 -> storage.reset(rule, key);
                            case 1 -> storage.decide(other, key, 1);
                            case 2 -> storage.decide(rule, key, 1).giveBack();
                            case 3 -> {
                                time.advance(TICK);
                                storage.cleanUp();
                            }
                            default -> storage.decide(rule, key, 1);
                        }
                    }
                    return 0L;
                });
            }
            threads.race(tasks);
            for (int key = 0; key < 3; key++) {
                storage.reset(rule, "key" + key);
            }
            assertThat(storage.size()).as("seed %d", seed).isZero();
        }
    }

    @Test
    void deadCellIsCountedOutWhicheverThreadRemovesIt() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, Duration.ofNanos(1)));
        RateLimiterStorage storage = sound(time);
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            int role = thread;
            tasks.add(() -> {
                for (int i = 0; i < 30_000; i++) {
                    if (role == 0) {
                        time.advance(TICK);
                        storage.cleanUp();
                    } else if (role == 1) {
                        storage.reset(rule, "key");
                    } else {
                        storage.decide(rule, "key", 1);
                    }
                }
                return 0L;
            });
        }
        threads.race(tasks);
        storage.reset(rule, "key");
        assertThat(storage.size()).isZero();
    }

    @Test
    void permitsTakenWhileLimitsChangeAreNotClipped() {
        Rule small = Rule.of("rule", Limit.tokenBucket(50, WINDOW));
        Rule large = Rule.of("rule", Limit.tokenBucket(80, WINDOW));
        // the first two readings check whether it fits and what is wrong; the third is inside the map
        for (int reading = 1; reading <= 2; reading++) {
            Interrupted clock = new Interrupted();
            RateLimiterStorage storage = sound(clock);
            storage.decide(small, "other", 1);
            storage.decide(large, "key", 49);
            clock.intruder = () -> storage.decide(large, "key", 4);
            clock.countdown = reading;
            assertThat(storage.decide(small, "key", 1).permitted()).isFalse();
            assertThat(storage.decide(large, "key", 0).remaining()).isEqualTo(80 - 53);
        }
    }

    @Test
    void floodFromManyThreadsDoesNotResetAClientAtItsLimit() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(10, WINDOW));
        Rule log = Rule.of("log", Limit.slidingWindowLog(10, Duration.ofMinutes(1)));
        RateLimiterStorage storage = sound(time);
        storage.decide(rule, "victim", 10);
        storage.decide(log, "victim", 10);
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            String prefix = "flood" + thread + "-";
            tasks.add(() -> {
                long victims = 0;
                for (int i = 0; i < 2000; i++) {
                    storage.decide(i % 2 == 0 ? rule : log, prefix + i, 1);
                    victims +=
                            storage.decide(i % 2 == 0 ? log : rule, "victim", 1).permitted() ? 1 : 0;
                }
                return victims;
            });
        }
        assertThat(threads.race(tasks)).containsOnly(0L);
        assertThat(storage.size()).isBetween(990L, 1010L);
    }

    /** A clock that runs another action at each reading. */
    private static final class Interrupted implements TimeSource {

        private final VirtualTime time = new VirtualTime();
        private int countdown;
        private Runnable intruder = () -> {};

        @Override
        public long epochNanos() {
            if (countdown > 0 && --countdown == 0) {
                intruder.run();
            }
            return time.epochNanos();
        }
    }

    /**
     * Returns how many permits of a limit of two are granted too many or lost, over all points where a clean-up can
     * interrupt.
     */
    private static long interruptedByCleaning(BiFunction<RateLimiterFactory, TimeSource, RateLimiterStorage> make) {
        Rule rule = Rule.of("rule", Limit.fixedWindow(2, WINDOW));
        long wrong = 0;
        for (int reading = 1; reading <= 6; reading++) {
            Interrupted clock = new Interrupted();
            RateLimiterStorage storage = make.apply(FACTORY, clock);
            storage.decide(rule, "key", 2);
            clock.time.advance(WINDOW.plusNanos(TICK));
            clock.intruder = storage::cleanUp;
            clock.countdown = reading;
            long granted = 0;
            for (int i = 0; i < 4; i++) {
                granted += storage.decide(rule, "key", 1).permitted() ? 1 : 0;
            }
            wrong += Math.abs(granted - 2);
        }
        return wrong;
    }

    /** Returns the wrong decisions if another thread takes one of the two permits. */
    private static long interruptedByTaking(BiFunction<RateLimiterFactory, TimeSource, RateLimiterStorage> make) {
        Rule rule = Rule.of("rule", Limit.tokenBucket(2, WINDOW));
        long wrong = 0;
        for (int reading = 1; reading <= 6; reading++) {
            Interrupted clock = new Interrupted();
            RateLimiterStorage storage = make.apply(FACTORY, clock);
            long[] granted = {0};
            storage.decide(rule, "other", 1);
            clock.intruder = () -> granted[0] += storage.decide(rule, "key", 1).permitted() ? 1 : 0;
            clock.countdown = reading;
            for (int i = 0; i < 6; i++) {
                boolean permitted = storage.decide(rule, "key", 1).permitted();
                granted[0] += permitted ? 1 : 0;
            }
            wrong += Math.abs(granted[0] - 2);
        }
        return wrong;
    }

    @Test
    void decisionThatIsInterruptedStartsAgain() {
        BiFunction<RateLimiterFactory, TimeSource, RateLimiterStorage> sound =
                (factory, clock) -> new InMemoryRateLimiterStorage(factory, clock, 1000);
        assertThat(interruptedByCleaning(sound)).isZero();
        assertThat(interruptedByTaking(sound)).isZero();
    }

    @Test
    void interruptionFindsRemovalWithoutADeadMark() {
        assertThat(interruptedByCleaning(
                        (factory, clock) -> new BrokenStorage(BrokenStorage.Fault.NO_DEAD_MARK, factory, clock)))
                .isPositive();
    }

    @Test
    void interruptionFindsCheckThenSet() {
        assertThat(interruptedByTaking(
                        (factory, clock) -> new BrokenStorage(BrokenStorage.Fault.NO_COMPARE, factory, clock)))
                .isPositive();
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
