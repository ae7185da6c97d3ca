package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A limit that all share, also by requests that wait for another rule, long after their turn in this one: however they
 * give up, and whatever others return, the permits that are used never exceed the bound.
 */
class GiveUpBoundTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long INTERVAL = SECOND.toNanos() / 20;
    private static final Duration YEAR = Duration.ofDays(365);
    private static final int STEPS = 400;
    private static final int RUNS = 60;

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();
    private final WaitingRoom waitingRoom =
            new WaitingRoom(limiters.storage(), (nanos, task) -> () -> {}, AsyncExecutor.toCommonPool());
    private final Rule own = Rule.of(
            "own", Limit.leakyBucket(1, Duration.ofHours(1)).burst(5_000).paced());

    static Stream<Rule> rules() {
        Limit bucket = Limit.tokenBucket(20, SECOND);
        return Stream.of(
                Rule.of("bucket", bucket),
                Rule.of("burst", Limit.tokenBucket(20, SECOND).burst(50)),
                Rule.of("leaky", Limit.leakyBucket(20, SECOND)),
                Rule.of("paced", Limit.leakyBucket(20, SECOND).burst(1_000).paced()),
                Rule.of("two", bucket, Limit.fixedWindow(1_000_000, SECOND).named("too")),
                Rule.of(
                        "mixed",
                        bucket,
                        Limit.slidingWindowLog(1_000_000, SECOND).named("too")));
    }

    private record Grant(long time, long permits, Decision decision) {}

    private record Waiting(Waiter waiter, long permits) {}

    @ParameterizedTest
    @MethodSource("rules")
    void whatIsUsedIsWithinTheBound(Rule site) {
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        SplittableRandom random = new SplittableRandom(seed);
        limiters.tryAcquire(own, "key");
        int gaveUp = 0;
        for (int run = 0; run < RUNS; run++) {
            Trace trace = new Trace(site, "key" + run, random, run % 2 == 0);
            trace.run();
            trace.used.sort(Comparator.comparingLong(Grant::time));
            assertThat(excess(site, trace.used))
                    .as("-Dlimiter.seed=%d, run %d", seed, run)
                    .isNotPositive();
            gaveUp += trace.gaveUp;
        }
        assertThat(gaveUp).isGreaterThan(RUNS);
    }

    /** The most permits beyond the bound of any time; at most 0 if it holds. */
    private static long excess(Rule site, List<Grant> used) {
        boolean paced = site.name().equals("paced");
        long capacity = paced ? 0 : site.limits().get(0).capacity();
        long most = Long.MIN_VALUE;
        for (int from = 0; from < used.size(); from++) {
            long sum = 0;
            for (int to = from; to < used.size(); to++) {
                long nanos = used.get(to).time() - used.get(from).time();
                // of a paced bucket, the last request is not counted: it leaves when those before it have leaked
                long counted = paced ? sum : sum + used.get(to).permits();
                most = Math.max(most, counted - capacity - (nanos + INTERVAL - 1) / INTERVAL);
                sum += used.get(to).permits();
            }
        }
        return most;
    }

    private final class Trace {

        private final Rule site;
        private final String key;
        private final SplittableRandom random;

        /** Whether requests wait for the shared limit: while they do, nothing else is returned to it. */
        private final boolean queued;

        private final List<Waiting> waiting = new ArrayList<>();
        private final List<Waiter> waitingForBoth = new ArrayList<>();
        private final List<Grant> open = new ArrayList<>();
        private final List<Grant> used = new ArrayList<>();
        private int gaveUp;

        Trace(Rule site, String key, SplittableRandom random, boolean queued) {
            this.site = site;
            this.key = key;
            this.random = random;
            this.queued = queued;
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                switch (random.nextInt(10)) {
                    case 0, 1 -> enter();
                    case 2, 3 -> enterForBoth();
                    case 4 -> take();
                    case 5 -> returnOne();
                    case 6 -> leave();
                    default -> advance(time.now() + random.nextLong((random.nextInt(4) == 0 ? 30 : 4) * INTERVAL));
                }
                if (open.size() > 5) {
                    used.add(open.remove(0));
                }
            }
            used.addAll(open);
            waitingForBoth.forEach(waitingRoom::leave);
            waiting.forEach(one -> waitingRoom.leave(one.waiter));
        }

        private Charge charge(long permits) {
            return site.charge(key, permits).keeping(random.nextInt(3) == 0 ? 40 : 0);
        }

        private void enter() {
            long permits = 1 + random.nextLong(4);
            Duration maxWait = queued ? SECOND : Duration.ZERO;
            Waiter waiter = new Waiter(List.of(charge(permits).within(maxWait)), time.now(), () -> true, () -> {});
            granted(waitingRoom.enter(waiter), permits);
            if (waiter.decision() != null) {
                waiting.add(new Waiting(waiter, permits));
            }
        }

        private void enterForBoth() {
            long permits = 1 + random.nextLong(10);
            List<Charge> both = List.of(
                    own.charge("key").within(YEAR), charge(permits).within(queued ? SECOND : Duration.ofNanos(1)));
            Waiter waiter = new Waiter(both, time.now(), () -> true, () -> {});
            waitingRoom.enter(waiter);
            if (waiter.decision() != null) {
                waitingForBoth.add(waiter);
            }
        }

        private void take() {
            long permits = 1 + random.nextLong(10);
            granted(limiters.storage().decide(List.of(charge(permits))), permits);
        }

        private void takeAll() {
            long permits = limiters.peek(site, key).remaining();
            if (!queued && permits > 0) {
                granted(limiters.tryAcquire(site, key, permits), permits);
            }
        }

        private void granted(@Nullable Decision decision, long permits) {
            if (decision != null && decision.permitted()) {
                open.add(new Grant(time.now(), permits, decision));
            }
        }

        private void returnOne() {
            if (!open.isEmpty()) {
                open.remove(random.nextInt(open.size())).decision().giveBack();
            }
        }

        private void leave() {
            takeAll();
            if (!waitingForBoth.isEmpty()) {
                waitingRoom.leave(waitingForBoth.remove(random.nextInt(waitingForBoth.size())));
                gaveUp++;
            }
            if (!waiting.isEmpty() && random.nextInt(3) == 0) {
                waitingRoom.leave(waiting.remove(random.nextInt(waiting.size())).waiter);
            }
            takeAll();
            serve();
        }

        /** Serves each at its turn. */
        private void advance(long to) {
            for (long due = due(); due <= to; due = due()) {
                time.set(due);
                serve();
            }
            time.set(to);
        }

        private long due() {
            return waiting.stream()
                    .mapToLong(one -> waitingRoom.admission.due(one.waiter))
                    .min()
                    .orElse(Long.MAX_VALUE);
        }

        private void serve() {
            for (Waiting one : List.copyOf(waiting)) {
                if (waitingRoom.admission.due(one.waiter) <= time.now()) {
                    waitingRoom.tend(one.waiter);
                    granted(Objects.requireNonNull(one.waiter.answer()), one.permits);
                    waiting.remove(one);
                }
            }
        }
    }
}
