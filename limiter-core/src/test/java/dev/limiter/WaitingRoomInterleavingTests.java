package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A few waiters that enter, leave, give up and release, interleaved in many ways; the same with a lock that does not
 * lock must fail.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingRoomInterleavingTests {

    private static final RateLimiterFactory FACTORY = new RateLimiterFactory();
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int ACTORS = 3;
    private static final int STEPS = 5;
    private static final int SEEDS = 600;

    /** A lock that does not lock shows only where two requests meet in the few steps that it guards. */
    private static final int SEEDS_WITHOUT_LOCK = 20_000;

    static List<Limit> limits() {
        return List.of(Limit.leakyBucket(1, SECOND).burst(100).paced(), Limit.concurrency(2));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void everyInterleavingIsSound(Limit limit) {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Run(limit, seed, false).run();
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void findsOutWhenNobodyLocks(Limit limit) {
        assertThatThrownBy(() -> {
                    for (int seed = 0; seed < SEEDS_WITHOUT_LOCK; seed++) {
                        new Run(limit, seed, true).run();
                    }
                })
                .isInstanceOfAny(AssertionError.class, RuntimeException.class);
    }

    private static final class Run {

        private final Limit limit;
        private final Rule rule;
        private final Interleaving interleaving;
        private final VirtualTime time;
        private final RateLimiterStorage storage;
        private final WaitingRoom waitingRoom;
        private final List<Actor> actors = new ArrayList<>();
        private final long seed;

        Run(Limit limit, long seed, boolean broken) {
            this.limit = limit;
            this.seed = seed;
            this.rule = Rule.of("rule", limit);
            this.interleaving = new Interleaving(seed);
            this.time = interleaving.time;
            this.storage = new InMemoryRateLimiterStorage(FACTORY, interleaving, 10);
            ReentrantLock lock = interleaving.lock(broken);
            this.waitingRoom = new WaitingRoom(storage, (nanos, task) -> () -> {}, AsyncExecutor.toCommonPool(), lock);
            SplittableRandom seeds = new SplittableRandom(seed);
            for (int i = 0; i < ACTORS; i++) {
                actors.add(new Actor(seeds.split()));
            }
        }

        void run() {
            storage.decide(rule, "key", 1);
            interleaving.run(List.copyOf(actors));
            actors.forEach(Actor::settle);
            assertThat(waitingRoom.size())
                    .as("who waits, seed %d", seed)
                    .isEqualTo(actors.stream().filter(Actor::waits).count());
            if (limit instanceof Limit.Concurrency) {
                checkHeld();
            } else {
                checkTurns();
            }
        }

        private void checkHeld() {
            long held =
                    1 + actors.stream().mapToLong(actor -> actor.held.size()).sum();
            Decision peek = storage.peek(rule, "key");
            assertThat(peek.remaining()).as("what is free, seed %d", seed).isEqualTo(2 - held);
            assertThat(peek.permitted() && waitingRoom.size() > 0)
                    .as("somebody waits for what can be had, seed %d", seed)
                    .isFalse();
        }

        /** No waiter leaves within a second of another one, and the remaining waiters have the next turns. */
        private void checkTurns() {
            List<Long> turns = new ArrayList<>();
            actors.forEach(actor -> turns.addAll(actor.turns));
            actors.stream()
                    .filter(Actor::waits)
                    .map(actor -> waitingRoom.admission.due(actor.waiter))
                    .forEach(turns::add);
            turns.sort(null);
            for (int i = 1; i < turns.size(); i++) {
                assertThat(turns.get(i) - turns.get(i - 1))
                        .as("between two turns, seed %d", seed)
                        .isGreaterThanOrEqualTo(SECOND.toNanos());
            }
            long last = turns.isEmpty() ? VirtualTime.START : turns.get(turns.size() - 1);
            long next = time.now()
                    + storage.peek(rule, "key")
                            .retryAfter()
                            .orElse(Duration.ZERO)
                            .toNanos();
            assertThat(next)
                    .as("the turn behind all, seed %d", seed)
                    .isEqualTo(Math.max(last + SECOND.toNanos(), time.now()));
        }

        private final class Actor implements Runnable {

            private final SplittableRandom random;
            private final List<Decision> held = new ArrayList<>();
            private final List<Long> turns = new ArrayList<>();
            private @Nullable Waiter waiter;

            Actor(SplittableRandom random) {
                this.random = random;
            }

            boolean waits() {
                return waiter != null && waiter.answer() == null;
            }

            @Override
            public void run() {
                for (int i = 0; i < STEPS; i++) {
                    step();
                }
                settle();
            }

            private void step() {
                switch (random.nextInt(4)) {
                    case 0 -> leave();
                    case 1 -> release();
                    case 2 -> due();
                    default -> enter();
                }
            }

            private void enter() {
                if (waiter != null) {
                    return;
                }
                Waiter one = new Waiter(
                        List.of(rule.charge("key").within(Duration.ofHours(1))), time.now(), () -> true, () -> {});
                Decision answer = waitingRoom.enter(one);
                if (answer == null) {
                    waiter = one;
                } else if (answer.permitted()) {
                    held.add(answer);
                }
            }

            private void leave() {
                if (waiter != null) {
                    waitingRoom.leave(waiter);
                    settle();
                }
            }

            private void release() {
                if (!held.isEmpty()) {
                    held.remove(0).close();
                }
            }

            /** Lets time pass until the own turn; no other actor looks at the clock for that. */
            private void due() {
                Waiter own = waiter;
                if (own != null && own.decision() != null) {
                    time.set(Math.max(interleaving.undisturbed(() -> waitingRoom.admission.due(own)), time.now()));
                    waitingRoom.tend(own);
                    settle();
                }
            }

            /** Notes the answer, if there is one by now. */
            private void settle() {
                if (waiter != null && waiter.answer() != null) {
                    if (waiter.answer().permitted()) {
                        held.add(waiter.answer());
                        turns.add(waiter.answer().turn());
                    }
                    waiter = null;
                }
            }
        }
    }
}
