package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spi.DelegatingDecision;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares requests that wait for a bucket with a slow model in simulated time: which are permitted, in which order, and
 * when to the nanosecond. Some requests give up. Only timers complete them.
 */
class WaitingModelTests {

    private static final int TRACES = 1_000;
    private static final int EVENTS = 30;
    private static final Duration SECOND = Duration.ofSeconds(1);

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(7_000_000, SECOND).burst(4),
                Limit.tokenBucket(3, SECOND),
                Limit.leakyBucket(7, SECOND).paced(),
                Limit.leakyBucket(10, Duration.ofMinutes(1)).paced(),
                Limit.leakyBucket(100_000, SECOND).burst(8).paced());
    }

    @ParameterizedTest
    @MethodSource("limits")
    void everyTurnIsThatOfTheModel(Limit limit) {
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        int waited = 0;
        int gaveUp = 0;
        int rejected = 0;
        for (int trace = 0; trace < TRACES; trace++) {
            Trace run = new Trace(limit, seed + trace, storage -> storage);
            run.run();
            waited += run.waited;
            gaveUp += run.gaveUp;
            rejected += run.rejected;
        }
        assertThat(waited).as("who waited").isGreaterThan(TRACES);
        assertThat(gaveUp).as("who gave up").isGreaterThan(TRACES / 2);
        assertThat(rejected).as("who was rejected").isGreaterThan(TRACES / 10);
    }

    /** The comparison detects a storage that is a nanosecond late. */
    @Test
    void detectsALateTurn() {
        Limit limit = Limit.leakyBucket(7, SECOND).paced();
        assertThatThrownBy(() -> {
                    for (int trace = 0; trace < TRACES; trace++) {
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

    /** A permitted request, in the queues and in the model. */
    private static final class Request {

        private final VirtualWaiting.Request waiter;
        private final long turn;
        private boolean gaveUp;

        Request(VirtualWaiting.Request waiter, long turn) {
            this.waiter = waiter;
            this.turn = turn;
        }
    }

    private static final class Trace {

        private final long seed;
        private final SplittableRandom random;
        private final VirtualTime time = new VirtualTime();
        private final Limit limit;
        private final Rule rule;
        private final long step;
        private final VirtualWaiting room;
        private final List<Request> requests = new ArrayList<>();

        /** When the bucket is empty, in nanoseconds times the limit: the interval of a permit is then the window. */
        private BigInteger empty = BigInteger.ZERO;

        /** The last permitted request, and the state before it; null if it has given up. */
        private @Nullable Request tail;

        private BigInteger emptyBefore = BigInteger.ZERO;
        private int waited;
        private int gaveUp;
        private int rejected;

        Trace(Limit limit, long seed, UnaryOperator<RateLimiterStorage> storage) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.limit = limit;
            this.rule = Rule.of("rule", limit);
            this.step = limit.window().toNanos() / limit.limit();
            RateLimiters limiters = RateLimiters.builder().timeSource(time).build();
            this.room = new VirtualWaiting(storage.apply(limiters.storage()), time);
        }

        void run() {
            for (int i = 0; i < EVENTS; i++) {
                advance(time.now() + (random.nextInt(3) == 0 ? 0 : random.nextLong(2 * step)));
                if (random.nextInt(4) == 0) {
                    giveUp();
                } else {
                    arrive();
                }
            }
            advance(time.now() + 100 * EVENTS * step);
            assertThat(room.limiters.waiting()).as(this::toString).isZero();
        }

        private boolean waits(Request request) {
            return !request.gaveUp && request.turn > time.now();
        }

        private void arrive() {
            long most = random.nextInt(3) == 0 ? Math.min(limit.capacity(), 3) : 1;
            long permits = 1 + random.nextLong(most);
            long maxWait = random.nextInt(4) == 0 ? 0 : random.nextLong(8 * step);
            int maxWaiting = random.nextInt(4) == 0 ? 2 : Integer.MAX_VALUE;
            BigInteger window = BigInteger.valueOf(limit.window().toNanos());
            BigInteger arrived = BigInteger.valueOf(time.now()).multiply(BigInteger.valueOf(limit.limit()));
            BigInteger start = empty.max(arrived);
            BigInteger end = start.add(window.multiply(BigInteger.valueOf(permits)));
            boolean paced = limit instanceof Limit.LeakyBucket;
            BigInteger ahead = window.multiply(BigInteger.valueOf(limit.capacity()));
            long turn = Math.max(nanos(paced ? start : end.subtract(ahead)), time.now());
            boolean full = paced && end.subtract(window).subtract(arrived).compareTo(ahead) > 0;
            boolean waits = turn > time.now();
            long waiting = requests.stream().filter(this::waits).count();
            boolean expected = !waits || turn - time.now() <= maxWait && waiting < maxWaiting && !full;
            VirtualWaiting.Request waiter = room.enter(rule.charge("key", permits)
                    .maxWait(Duration.ofNanos(maxWait))
                    .maxWaiting(maxWaiting));
            assertThat(waiter.isRejected()).as(this::toString).isEqualTo(!expected);
            rejected += expected ? 0 : 1;
            if (expected) {
                waited += waits ? 1 : 0;
                tail = new Request(waiter, turn);
                requests.add(tail);
                emptyBefore = empty;
                empty = end;
            }
            check();
        }

        private long nanos(BigInteger scaled) {
            BigInteger[] parts = scaled.max(BigInteger.ZERO).divideAndRemainder(BigInteger.valueOf(limit.limit()));
            return parts[0].longValueExact() + parts[1].signum();
        }

        /** Others can use the turn of the last request; the turn of one before it stays unused. */
        private void giveUp() {
            List<Request> waiting = requests.stream().filter(this::waits).toList();
            if (waiting.isEmpty()) {
                return;
            }
            Request one = waiting.get(random.nextInt(waiting.size()));
            boolean behind = waiting.indexOf(one) < waiting.size() - 1;
            if (behind || tail == one) {
                one.waiter.cancel();
                one.gaveUp = true;
                gaveUp++;
                if (tail == one) {
                    empty = emptyBefore;
                    tail = null;
                }
                check();
            }
        }

        /** Advances the clock, and completes every request that is due on the way. */
        private void advance(long to) {
            for (long due = nextDue(); due <= to; due = nextDue()) {
                room.to(Math.max(due, time.now()));
                check();
            }
            room.to(to);
        }

        /** Returns when the model or the room has something to do. */
        private long nextDue() {
            return requests.stream()
                    .filter(this::waits)
                    .mapToLong(request -> request.turn)
                    .reduce(room.timer.next(), Math::min);
        }

        private void check() {
            for (Request request : requests) {
                assertThat(request.waiter.waits()).as(this::toString).isEqualTo(waits(request));
                assertThat(waits(request) || request.waiter.isPermitted() != request.gaveUp)
                        .as(this::toString)
                        .isTrue();
            }
        }

        @Override
        public String toString() {
            return "trace " + seed + " of " + rule + " at " + (time.now() - VirtualTime.START) + " ns";
        }
    }
}
