package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads enter and leave; then time goes on. However they raced, nobody leaves who is too many. */
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
                Limit.fixedWindow(10, SECOND));
    }

    /** Over any window. */
    private static long bound(Limit limit) {
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
        Rule rule = Rule.of("rule", limit, Limit.slidingWindowLog(1000, SECOND).named("second"));
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

    /** Rounds in which threads race while time stands still, and between which it goes on. */
    private static final class Race {

        private final VirtualTime time = new VirtualTime();
        private final RateLimiters limiters =
                RateLimiters.builder().timeSource(time).build();
        private final WaitingRoom waitingRoom =
                new WaitingRoom(limiters.storage(), (nanos, task) -> () -> {}, AsyncExecutor.toCommonPool());
        private final List<Waiter> waiting = new ArrayList<>();

        /** Time and permits. */
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
                List<Callable<List<Waiter>>> tasks = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    SplittableRandom own = random.split();
                    tasks.add(() -> enterAndLeave(own));
                }
                threads.race(tasks).forEach(waiting::addAll);
                settle();
                drain(time.now() + random.nextLong(3 * SECOND.toNanos()));
            }
            drain(Long.MAX_VALUE);
            assertThat(waitingRoom.size()).isZero();
            departures.sort(Comparator.comparingLong(departure -> departure[0]));
            return departures;
        }

        private List<Waiter> enterAndLeave(SplittableRandom random) {
            List<Waiter> mine = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                long maxWait = random.nextInt(4) == 0 ? 0 : random.nextLong(5 * SECOND.toNanos());
                Charge charge = rule.charge("key", 1 + random.nextInt(MOST)).within(Duration.ofNanos(maxWait));
                Waiter waiter = new Waiter(List.of(charge), time.now(), () -> true, () -> {});
                Decision answer = waitingRoom.enter(waiter);
                if (answer != null) {
                    waiter.answer(answer);
                }
                mine.add(waiter);
                if (random.nextInt(3) == 0) {
                    waitingRoom.leave(mine.get(random.nextInt(mine.size())));
                }
            }
            return mine;
        }

        private void drain(long end) {
            while (!waiting.isEmpty()) {
                long next = waiting.stream()
                        .mapToLong(waitingRoom.admission::due)
                        .min()
                        .orElseThrow();
                if (next > end) {
                    break;
                }
                time.set(Math.max(next, time.now()));
                List.copyOf(waiting).forEach(waitingRoom::tend);
                settle();
            }
            if (end < Long.MAX_VALUE) {
                time.set(end);
            }
        }

        /** Notes who has left by now. */
        private void settle() {
            for (Waiter waiter : List.copyOf(waiting)) {
                Decision answer = waiter.answer();
                if (answer != null) {
                    waiting.remove(waiter);
                    if (answer.permitted()) {
                        departures.add(
                                new long[] {time.now(), waiter.charges.get(0).permits()});
                    }
                }
            }
        }
    }
}
