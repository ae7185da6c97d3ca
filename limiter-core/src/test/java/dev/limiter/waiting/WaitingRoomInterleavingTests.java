package dev.limiter.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.DelegatingStorage;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.VirtualTimer;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.DelegatingDecision;
import dev.limiter.spi.ReleaseListener;
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
 * A few requests that arrive, give up and release, interleaved in many ways. The test must fail if reports of releases
 * are lost, or if turns are too early.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingRoomInterleavingTests {

    private static final RateLimiterFactory FACTORY = new RateLimiterFactory();
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int ACTORS = 3;
    private static final int STEPS = 5;
    private static final int SEEDS = 600;

    static List<Limit> limits() {
        return List.of(
                Limit.leakyBucket(1, SECOND).burst(100).paced(), Limit.tokenBucket(1, SECOND), Limit.concurrency(2));
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
    void detectsABrokenStorage(Limit limit) {
        assertThatThrownBy(() -> {
                    for (int seed = 0; seed < SEEDS; seed++) {
                        new Run(limit, seed, true).run();
                    }
                })
                .isInstanceOfAny(AssertionError.class, RuntimeException.class);
    }

    /** Loses some reports of releases, and grants some turns too early. */
    private static final class Broken extends DelegatingStorage {

        private final SplittableRandom random;

        Broken(RateLimiterStorage within, long seed) {
            super(within);
            this.random = new SplittableRandom(seed);
        }

        @Override
        public void onRelease(ReleaseListener listener) {
            super.onRelease((rule, key) -> {
                if (random.nextInt(10) > 0) {
                    listener.released(rule, key);
                }
            });
        }

        @Override
        public Decision decide(List<Charge> charges) {
            Decision decision = super.decide(charges);
            return decision.delay().isZero() || random.nextInt(10) > 0 ? decision : new Early(decision);
        }
    }

    private static final class Early extends DelegatingDecision {

        Early(Decision decision) {
            super(decision);
        }

        @Override
        public long turnNanos() {
            return super.turnNanos() - 1;
        }

        @Override
        public void giveBack() {
            decision.giveBack();
        }
    }

    private static final class Run {

        private final Limit limit;
        private final Rule rule;
        private final Interleaving interleaving;
        private final VirtualTime time;
        private final RateLimiterStorage storage;
        private final WaitingRoom room;
        private final List<Actor> actors = new ArrayList<>();
        private final long seed;

        Run(Limit limit, long seed, boolean broken) {
            this.limit = limit;
            this.seed = seed;
            this.rule = Rule.of("rule", limit);
            this.interleaving = new Interleaving(seed);
            this.time = interleaving.time;
            RateLimiterStorage memory = new InMemoryRateLimiterStorage(FACTORY, interleaving, 10);
            this.storage = broken ? new Broken(memory, seed) : memory;
            ReentrantLock lock = interleaving.lock();
            this.room = new WaitingRoom(storage, new VirtualTimer(time), new AsyncExecutor(Runnable::run), lock);
            SplittableRandom seeds = new SplittableRandom(seed);
            for (int i = 0; i < ACTORS; i++) {
                actors.add(new Actor(seeds.split()));
            }
        }

        void run() {
            storage.decide(rule, "key", 1);
            interleaving.run(List.copyOf(actors));
            actors.forEach(Actor::settle);
            assertThat(room.size())
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
            assertThat(peek.permitted() && room.size() > 0)
                    .as("a request waits for what is free, seed %d", seed)
                    .isFalse();
        }

        /** Asserts that no two requests are permitted within the same second. */
        private void checkTurns() {
            List<Long> turns = new ArrayList<>();
            actors.forEach(actor -> turns.addAll(actor.turns));
            for (Actor actor : actors) {
                if (actor.waiter != null && actor.waiter.reservation != null) {
                    turns.add(AbstractDecision.of(actor.waiter.reservation).turnNanos());
                }
            }
            turns.sort(null);
            for (int i = 1; i < turns.size(); i++) {
                assertThat(turns.get(i) - turns.get(i - 1))
                        .as("between two turns, seed %d", seed)
                        .isGreaterThanOrEqualTo(SECOND.toNanos());
            }
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
                return waiter != null && !waiter.future.isDone();
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
                if (waiter == null) {
                    Charge charge = rule.charge("key").maxWait(Duration.ofHours(1));
                    waiter = new Waiter(List.of(charge), time.now(), () -> true, Runnable::run);
                    room.enter(waiter);
                    settle();
                }
            }

            private void leave() {
                if (waiter != null) {
                    room.giveUp(waiter);
                    settle();
                }
            }

            private void release() {
                if (!held.isEmpty()) {
                    held.remove(0).close();
                }
            }

            /** Advances time to the actor's own turn; no other actor reads the clock for that. */
            private void due() {
                Waiter own = waiter;
                if (own != null && own.reservation != null) {
                    time.set(Math.max(own.due, time.now()));
                    room.turns.timerFired(own);
                    settle();
                }
            }

            /** Records the outcome, if there is one. */
            private void settle() {
                if (waiter != null && waiter.future.isDone()) {
                    Decision outcome = waiter.future.join();
                    if (outcome.permitted()) {
                        held.add(outcome);
                        if (!outcome.delay().isZero()) {
                            turns.add(AbstractDecision.of(outcome).turnNanos());
                        }
                    }
                    waiter = null;
                }
            }
        }
    }
}
