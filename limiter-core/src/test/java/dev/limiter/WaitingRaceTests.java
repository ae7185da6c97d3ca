package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.Threads;
import dev.limiter.waiting.AsyncExecutor;
import dev.limiter.waiting.WaitTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads submit and cancel requests, then time advances. In every race, no window has too many permits. */
@Tag("race")
class WaitingRaceTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int THREADS = 4;
    private static final int MOST = 3;

    private final Threads threads = new Threads();

    @AfterEach
    void stopThreads() {
        threads.close();
    }

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.leakyBucket(10, SECOND).burst(1000).paced(),
                Limit.leakyBucket(7, SECOND).burst(20).paced(),
                Limit.leakyBucket(10, SECOND).burst(1000).paced().warmUp(SECOND),
                Limit.tokenBucket(10, SECOND).warmUp(SECOND.multipliedBy(3)),
                Limit.tokenBucket(10, SECOND).burst(5),
                Limit.tokenBucket(7, SECOND),
                Limit.fixedWindow(10, SECOND),
                Limit.slidingWindowLog(10, SECOND),
                Limit.slidingWindowCounter(10, SECOND));
    }

    /** Returns the most permits over any window. */
    private static long bound(Limit limit) {
        if (limit instanceof Limit.SlidingWindowLog) {
            return limit.limit();
        }
        if (limit instanceof Limit.SlidingWindowCounter counter) {
            return limit.limit() + limit.limit() / counter.buckets();
        }
        boolean oneByOne = limit instanceof Limit.LeakyBucket
                || limit instanceof Limit.TokenBucket bucket && !bucket.warmUp().isZero();
        return limit.limit() + (oneByOne ? MOST : limit.capacity());
    }

    @ParameterizedTest
    @MethodSource("limits")
    void noWindowSeesMoreThanTheBound(Limit limit) {
        Rule rule = Rule.of("rule", limit);
        for (int seed = 0; seed < 60; seed++) {
            List<long[]> departures = new Race(rule, seed, threads).run();
            assertThat(most(departures, SECOND.toNanos())).as("seed %d", seed).isLessThanOrEqualTo(bound(limit));
            if (limit instanceof Limit.FixedWindow) {
                assertThat(mostOfOneWindow(departures)).as("seed %d", seed).isLessThanOrEqualTo(limit.limit());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void noWindowSeesMoreThanTheBoundWithASecondLimit(Limit limit) {
        Rule rule = Rule.of(
                "rule", limit, Limit.fixedWindow(10_000, Duration.ofHours(1)).named("second"));
        for (int seed = 0; seed < 20; seed++) {
            List<long[]> departures = new Race(rule, seed, threads).run();
            assertThat(most(departures, SECOND.toNanos())).as("seed %d", seed).isLessThanOrEqualTo(bound(limit));
        }
    }

    private static long most(List<long[]> departures, long window) {
        long most = 0;
        long sum = 0;
        int first = 0;
        for (long[] departure : departures) {
            sum += departure[1];
            while (departures.get(first)[0] <= departure[0] - window) {
                sum -= departures.get(first++)[1];
            }
            most = Math.max(most, sum);
        }
        return most;
    }

    private static long mostOfOneWindow(List<long[]> departures) {
        return departures.stream()
                .mapToLong(departure -> departure[0] / SECOND.toNanos())
                .distinct()
                .map(window -> departures.stream()
                        .filter(departure -> departure[0] / SECOND.toNanos() == window)
                        .mapToLong(departure -> departure[1])
                        .sum())
                .max()
                .orElse(0);
    }

    /** Rounds in which threads race while time stands still; time advances between rounds. */
    private static final class Race {

        private final VirtualTime time = new VirtualTime();
        private final RateLimiters limiters =
                RateLimiters.builder().timeSource(time).build();
        private final Timers timers = new Timers();
        private final RateLimiters room = new RateLimiters(limiters.storage(), timers, AsyncExecutor.toCommonPool());
        private final List<Waiting> waiting = new ArrayList<>();

        /** Pairs of time and permits. */
        private final List<long[]> departures = new ArrayList<>();

        private final Rule rule;
        private final SplittableRandom random;
        private final Threads threads;

        Race(Rule rule, long seed, Threads threads) {
            this.rule = rule;
            this.random = new SplittableRandom(seed);
            this.threads = threads;
        }

        List<long[]> run() {
            for (int round = 0; round < 4; round++) {
                List<Callable<List<Waiting>>> tasks = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    SplittableRandom own = random.split();
                    tasks.add(() -> enterAndLeave(own));
                }
                threads.race(tasks).forEach(waiting::addAll);
                settle();
                drain(time.now() + random.nextLong(3 * SECOND.toNanos()));
            }
            drain(Long.MAX_VALUE);
            assertThat(room.waiting()).isZero();
            departures.sort(Comparator.comparingLong(departure -> departure[0]));
            return departures;
        }

        private List<Waiting> enterAndLeave(SplittableRandom random) {
            List<Waiting> mine = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                long maxWait = random.nextInt(4) == 0 ? 0 : random.nextLong(5 * SECOND.toNanos());
                Charge charge = rule.charge("key", 1 + random.nextInt(MOST)).maxWait(Duration.ofNanos(maxWait));
                mine.add(new Waiting(room.acquireAsync(List.of(charge), () -> true), charge.permits()));
                if (random.nextInt(3) == 0) {
                    mine.get(random.nextInt(mine.size())).future.cancel(false);
                }
            }
            return mine;
        }

        private void drain(long end) {
            for (long next = timers.next(); next <= end && next < Long.MAX_VALUE; next = timers.next()) {
                time.set(Math.max(next, time.now()));
                timers.ring(time.now());
                settle();
            }
            if (end < Long.MAX_VALUE) {
                time.set(end);
            }
        }

        /** Records the requests that have completed. */
        private void settle() {
            Caller.until(
                    () -> waiting.stream().filter(one -> !one.future.isDone()).count() == room.waiting());
            for (Waiting one : List.copyOf(waiting)) {
                if (one.future.isDone()) {
                    waiting.remove(one);
                    if (!one.future.isCancelled() && one.future.join().permitted()) {
                        departures.add(new long[] {time.now(), one.permits});
                    }
                }
            }
        }

        private record Waiting(CompletableFuture<Decision> future, long permits) {}

        /** Timers set by many threads, and run by one. */
        private final class Timers implements WaitTimer {

            private final Map<Object, Long> at = new ConcurrentHashMap<>();

            @Override
            public Runnable after(long nanos, Runnable task) {
                at.put(task, time.now() + nanos);
                return () -> at.remove(task);
            }

            long next() {
                return at.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
            }

            void ring(long now) {
                at.forEach((task, due) -> {
                    if (due <= now && at.remove(task) != null) {
                        ((Runnable) task).run();
                    }
                });
            }
        }
    }
}
