package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests wait for turns, and then for releases, while others leave, come and release in several threads: each permit
 * counts for one request that was permitted, and in the end nothing is held.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("race")
class HeldAtTurnRaceTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int THREADS = 4;
    private static final int SEEDS = 20;
    private static final int ROUNDS = 8;
    private static final int STEPS = 15;
    private static final int LIMIT = 3;
    private static final long QUOTA = 1_000_000;

    private final Threads threads = new Threads();
    private final Rule pool = Rule.of("pool", Limit.concurrency(LIMIT));
    private final Rule rate =
            Rule.of("rate", Limit.leakyBucket(2, SECOND).burst(1000).paced());

    /** All that was permitted, and not given back. */
    private final Rule quota =
            Rule.of("quota", Limit.fixedWindow(QUOTA, Duration.ofDays(7)).startingWithFirst());

    /** Requests that were let in, or refused by the pool, after they had waited for a turn. */
    private int waited;

    private int refused;

    @AfterEach
    void stopThreads() {
        threads.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noPermitIsLostOrCountedTwice(boolean remote) {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Race(remote, seed).run();
        }
        assertThat(waited).isGreaterThan(SEEDS);
        assertThat(refused).isGreaterThan(SEEDS);
    }

    private static final class Request {

        final Waiter waiter;
        final WaitingRoom room;
        final long permits;
        final boolean counted;
        final AtomicBoolean over = new AtomicBoolean();
        volatile boolean returned;

        Request(WaitingRoom room, Waiter waiter, long permits, boolean counted) {
            this.room = room;
            this.waiter = waiter;
            this.permits = permits;
            this.counted = counted;
        }

        boolean isPermitted() {
            return waiter.isDone() && waiter.outcome().permitted();
        }

        /** Ends it, once, if it was let in. */
        void end(boolean returns) {
            if (isPermitted() && over.compareAndSet(false, true)) {
                returned = returns;
                if (returns) {
                    waiter.outcome().giveBack();
                }
                waiter.outcome().close();
            }
        }
    }

    private final class Race {

        private final VirtualTime time = new VirtualTime();
        private final RateLimiterStorage shared = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        private final List<WaitingRoom> rooms = new ArrayList<>();
        private final List<ElsewhereStorage> elsewhere = new ArrayList<>();
        private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

        /** Answers of the storage elsewhere that are still on their way. */
        private final Queue<Runnable> answers = new ConcurrentLinkedQueue<>();

        private final SplittableRandom random;
        private final int seed;

        Race(boolean remote, int seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            if (remote) {
                ElsewhereStorage storage = new ElsewhereStorage(shared);
                storage.answerBy(answers::add);
                elsewhere.add(storage);
                rooms.add(new WaitingRoom(storage, (nanos, task) -> () -> {}, executor(), storage.lock));
            } else {
                rooms.add(new WaitingRoom(shared, (nanos, task) -> () -> {}, executor()));
                rooms.add(new WaitingRoom(shared, (nanos, task) -> () -> {}, executor()));
            }
        }

        private AsyncExecutor executor() {
            return AsyncExecutor.toCommonPool();
        }

        void run() {
            for (int round = 0; round < ROUNDS; round++) {
                List<Callable<Void>> tasks = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    SplittableRandom own = random.split();
                    tasks.add(() -> {
                        for (int step = 0; step < STEPS; step++) {
                            step(own);
                        }
                        return null;
                    });
                }
                threads.race(tasks);
                settle();
                time.advance(random.nextLong(2 * SECOND.toNanos()));
            }
            for (long due = due(); due < Long.MAX_VALUE; due = due()) {
                time.set(Math.max(due, time.now()));
                requests.forEach(request -> request.room.tend(request.waiter));
                settle();
                requests.forEach(request -> request.end(false));
                settle();
            }
            assertThat(requests).allMatch(request -> request.waiter.isDone());
            requests.forEach(request -> request.end(false));
            check();
            assertThat(rooms).as("seed %d", seed).allMatch(room -> room.size() == 0);
            long used = requests.stream()
                    .filter(request -> request.counted && request.isPermitted() && !request.returned)
                    .count();
            assertThat(shared.peek(quota, Charge.SHARED).remaining())
                    .as("quota, seed %d", seed)
                    .isEqualTo(QUOTA - used);
            assertThat(elsewhere).allMatch(storage -> storage.calledUnderLock.isEmpty());
            count();
        }

        private void step(SplittableRandom random) {
            Request known = requests.isEmpty()
                    ? null
                    : requests.stream()
                            .skip(random.nextInt(requests.size()))
                            .findFirst()
                            .orElseThrow();
            switch (known == null ? 9 : random.nextInt(10)) {
                case 0 -> known.room.leave(known.waiter);
                case 1, 2, 3 -> requests.forEach(request -> request.room.tend(request.waiter));
                case 4, 5 -> known.end(random.nextInt(4) == 0);
                case 6, 7 -> answer();
                default -> enter(random);
            }
        }

        private boolean answer() {
            Runnable answer = answers.poll();
            if (answer != null) {
                answer.run();
            }
            return answer != null;
        }

        private void enter(SplittableRandom random) {
            WaitingRoom room = rooms.get(random.nextInt(rooms.size()));
            long permits = random.nextInt(2) + 1L;
            Charge held = pool.charge(Charge.SHARED, permits).within(patience(random));
            boolean counted = random.nextInt(4) > 0;
            List<Charge> charges =
                    counted ? List.of(quota.charge(), held, rate.charge().within(patience(random))) : List.of(held);
            boolean present = random.nextInt(8) > 0;
            Waiter waiter = new Waiter(charges, time.now(), () -> present, () -> {});
            Request request = new Request(room, waiter, permits, counted);
            Decision answer = room.enter(waiter);
            if (answer != null && !waiter.isDone()) {
                waiter.answer(answer);
            }
            requests.add(request);
        }

        private static Duration patience(SplittableRandom random) {
            return Duration.ofNanos(random.nextLong(6 * SECOND.toNanos()));
        }

        /** All answers have come: what is held is held by those who were let in, and nobody waits for what is free. */
        private void settle() {
            while (answer()) {}
            // as the next poll
            elsewhere.forEach(storage -> storage.released(pool, Charge.SHARED));
            while (answer()) {}
            check();
        }

        private void check() {
            long held = requests.stream()
                    .filter(request -> request.isPermitted() && !request.over.get())
                    .mapToLong(request -> request.permits)
                    .sum();
            long free = shared.peek(pool, Charge.SHARED).remaining();
            assertThat(free).as("free permits, seed %d", seed).isEqualTo(LIMIT - held);
            assertThat(rooms.stream()
                            .map(room -> room.admission.releases.first(WaitKey.of(pool.charge())))
                            .filter(Objects::nonNull)
                            .flatMap(waiter -> waiter.charges.stream())
                            .filter(charge -> charge.rule().equals(pool) && charge.permits() <= free))
                    .as("waiters for what is free, seed %d", seed)
                    .isEmpty();
        }

        private long due() {
            return requests.stream()
                    .filter(request -> !request.waiter.isDone())
                    .mapToLong(request -> request.room.admission.due(request.waiter))
                    .min()
                    .orElse(Long.MAX_VALUE);
        }

        private void count() {
            for (Request request : requests) {
                Decision answer = request.waiter.outcome();
                boolean delayed =
                        answer.parts().stream().anyMatch(part -> !part.delay().isZero());
                waited += delayed && answer.permitted() ? 1 : 0;
                refused += delayed && !answer.permitted() && answer.rule().equals(pool) ? 1 : 0;
            }
        }
    }
}
