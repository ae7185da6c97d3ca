package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spi.DelegatingDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares waiting requests with a slow model in simulated time, some of which give up: which are permitted, in which
 * order, and when to the nanosecond. Only timers complete them.
 */
class WaitingModelTests {

    private static final int EVENTS = 30;
    private static final Duration SECOND = Duration.ofSeconds(1);

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(7_000_000, SECOND).burst(4),
                Limit.leakyBucket(7, SECOND).paced(),
                Limit.leakyBucket(6, SECOND).paced().warmUp(SECOND),
                Limit.concurrency(3));
    }

    static Stream<Limit> moreLimits() {
        return Stream.of(
                Limit.tokenBucket(3, SECOND),
                Limit.leakyBucket(10, Duration.ofMinutes(1)).paced(),
                Limit.leakyBucket(100_000, SECOND).burst(8).paced(),
                Limit.tokenBucket(1, Duration.ofSeconds(10)).warmUp(Duration.ofSeconds(45)),
                Limit.leakyBucket(100_000, SECOND).paced().warmUp(Duration.ofMillis(1)),
                Limit.concurrency(1));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void everyTurnIsThatOfTheModel(Limit limit) {
        compare(limit, 10_000);
    }

    @ParameterizedTest
    @MethodSource("moreLimits")
    void everyTurnIsThatOfTheModelAtOtherRates(Limit limit) {
        compare(limit, 1_000);
    }

    private static void compare(Limit limit, int traces) {
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        int waited = 0;
        int gaveUp = 0;
        int rejected = 0;
        for (int trace = 0; trace < traces; trace++) {
            Trace run = new Trace(limit, seed + trace, storage -> storage);
            run.run();
            waited += run.waited;
            gaveUp += run.gaveUp;
            rejected += run.rejected;
        }
        assertThat(waited).as("who waited").isGreaterThan(traces);
        assertThat(gaveUp).as("who gave up").isGreaterThan(traces / 2);
        assertThat(rejected).as("who was rejected").isGreaterThan(traces / 10);
    }

    /** The comparison detects a storage that is a nanosecond late. */
    @Test
    void detectsALateTurn() {
        Limit limit = Limit.leakyBucket(7, SECOND).paced();
        assertThatThrownBy(() -> {
                    for (int trace = 0; trace < 1000; trace++) {
                        new Trace(limit, trace, Late::new).run();
                    }
                })
                .isInstanceOf(AssertionError.class);
    }

    private static final class Late extends DelegatingStorage {

        Late(RateLimiterStorage storage) {
            super(storage);
        }

        @Override
        public Decision decide(List<Charge> charges) {
            return new DelegatingDecision(super.decide(charges)) {

                @Override
                public long turnNanos() {
                    return decision.turnNanos() + 1;
                }

                @Override
                public void giveBack() {
                    decision.giveBack();
                }
            };
        }
    }

    /** A request, in the queues and in the model. */
    private static final class Request {

        final VirtualWaiting.Request waiter;
        final WaitingModel.Request model;

        Request(VirtualWaiting.Request waiter, WaitingModel.Request model) {
            this.waiter = waiter;
            this.model = model;
        }
    }

    private static final class Trace {

        private final long seed;
        private final SplittableRandom random;
        private final VirtualTime time = new VirtualTime();
        private final WaitingModel model;
        private final Rule rule;
        private final long step;
        private final VirtualWaiting room;
        private final RateLimiters limiters =
                RateLimiters.builder().timeSource(time).build();
        private final List<Request> requests = new ArrayList<>();
        private int waited;
        private int gaveUp;
        private int rejected;

        Trace(Limit limit, long seed, UnaryOperator<RateLimiterStorage> storage) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.rule = Rule.of("rule", limit);
            this.model = WaitingModel.of(limit);
            this.step = limit instanceof Limit.Concurrency
                    ? 1_000_000
                    : limit.window().toNanos() / limit.limit();
            this.room = new VirtualWaiting(storage.apply(limiters.storage()), time);
        }

        void run() {
            for (int i = 0; i < EVENTS; i++) {
                advance(time.now() + (random.nextInt(3) == 0 ? 0 : random.nextLong(2 * step)));
                switch (random.nextInt(5)) {
                    case 0 -> giveUp();
                    case 1 -> release();
                    default -> arrive();
                }
            }
            for (long due = nextDue(); due < Long.MAX_VALUE; due = nextDue()) {
                advance(due);
            }
            assertThat(room.limiters.waiting()).as(this::toString).isZero();
        }

        private void arrive() {
            long most = random.nextInt(3) == 0 ? Math.min(rule.limits().get(0).capacity(), 3) : 1;
            long permits = 1 + random.nextLong(most);
            long maxWait = random.nextInt(4) == 0 ? 0 : random.nextLong(8 * step);
            int maxWaiting = random.nextInt(4) == 0 ? 2 : Integer.MAX_VALUE;
            Charge charge = rule.charge("key", permits)
                    .maxWait(Duration.ofNanos(maxWait))
                    .maxWaiting(maxWaiting);
            WaitingModel.Request expected = model.arrive(time.now(), permits, maxWait, maxWaiting);
            Request request = new Request(room.enter(charge), expected);
            Decision answer = request.waiter.waits() ? null : request.waiter.outcome();
            if (answer != null) {
                assertThat(answer.permitted()).as(this::toString).isEqualTo(expected.state == WaitingModel.State.LEFT);
                assertThat(answer.delay()).as(this::toString).isEqualTo(Duration.ZERO);
                rejected += answer.permitted() ? 0 : 1;
                if (answer.permitted()) {
                    requests.add(request);
                }
            } else {
                assertThat(expected.state).as(this::toString).isEqualTo(WaitingModel.State.WAITING);
                waited++;
                requests.add(request);
            }
            check();
        }

        private void giveUp() {
            List<Request> waiting = requests.stream()
                    .filter(request -> request.waiter.waits() && model.mayGiveUp(request.model))
                    .toList();
            if (!waiting.isEmpty()) {
                Request one = waiting.get(random.nextInt(waiting.size()));
                one.waiter.cancel();
                model.giveUp(one.model, time.now());
                gaveUp++;
                check();
            }
        }

        private void release() {
            List<Request> holding = requests.stream()
                    .filter(request -> request.model.state == WaitingModel.State.LEFT && !request.model.released)
                    .toList();
            if (rule.limits().get(0) instanceof Limit.Concurrency && !holding.isEmpty()) {
                Request one = holding.get(random.nextInt(holding.size()));
                one.waiter.outcome().close();
                model.release(one.model, time.now());
                check();
            }
        }

        /** Advances the clock, and completes every request that is due on the way. */
        private void advance(long to) {
            for (long due = nextDue(); due <= to; due = nextDue()) {
                time.set(Math.max(due, time.now()));
                model.advance(time.now());
                room.to(time.now());
                check();
            }
            time.set(to);
            model.advance(to);
        }

        /** Returns when the model or the room has something to do. */
        private long nextDue() {
            return requests.stream()
                    .filter(request -> request.model.state == WaitingModel.State.WAITING && request.model.turn != null)
                    .mapToLong(request -> request.model.turn)
                    .min()
                    .stream()
                    .map(turn -> Math.min(turn, room.timer.next()))
                    .findFirst()
                    .orElse(room.timer.next());
        }

        private void check() {
            for (Request request : requests) {
                WaitingModel.State expected = request.model.state == WaitingModel.State.GONE
                        ? WaitingModel.State.REJECTED
                        : request.model.state;
                if (state(request.waiter) != expected) {
                    throw new AssertionError(request.model + " should be " + expected + " in " + this);
                }
            }
        }

        private static WaitingModel.State state(VirtualWaiting.Request request) {
            if (request.waits()) {
                return WaitingModel.State.WAITING;
            }
            return request.isPermitted() ? WaitingModel.State.LEFT : WaitingModel.State.REJECTED;
        }

        @Override
        public String toString() {
            return "trace " + seed + " of " + rule + " at " + (time.now() - VirtualTime.START) + " ns";
        }
    }
}
