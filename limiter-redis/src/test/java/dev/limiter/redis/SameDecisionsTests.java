package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory and Redis make the same decisions, step by step, with whole microseconds. */
class SameDecisionsTests {

    private static final int STEPS = 4_000;
    private static final Set<String> BUCKETS = Set.of("token", "leaky", "paced");
    private static final AtomicInteger RUNS_MADE = new AtomicInteger();
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    static Stream<Rule> rules() {
        List<Rule> rules = new ArrayList<>();
        for (long limit : new long[] {1, 3, 7, 100, 9_999_991}) {
            for (Duration window : List.of(SECOND, MINUTE, Duration.ofDays(1), Duration.ofDays(30))) {
                if (limit * window.toHours() > 1_000_000) {
                    // rounded differently, because Lua has 52 bits and memory 60
                    continue;
                }
                rules.add(Rule.of("token", Limit.tokenBucket(limit, window)));
                rules.add(Rule.of("leaky", Limit.leakyBucket(limit, window).burst(limit / 2 + 1)));
                rules.add(Rule.of("paced", Limit.leakyBucket(limit, window).paced()));
            }
        }
        for (long limit : new long[] {1, 7, 100}) {
            rules.add(Rule.of("warm", Limit.tokenBucket(limit, MINUTE).warmUp(Duration.ofSeconds(10))));
            rules.add(Rule.of("fixed", Limit.fixedWindow(limit, SECOND)));
            rules.add(Rule.of("first", Limit.fixedWindow(limit, MINUTE).alignFirst()));
            rules.add(Rule.of("daily", Limit.calendarWindow(limit, Period.ofDays(1), ZoneId.of("Europe/Berlin"))));
            rules.add(Rule.of("monthly", Limit.calendarWindow(limit, Period.ofMonths(1), ZoneId.of("UTC"))));
            for (int buckets : new int[] {1, 2, 7, 10, 60}) {
                rules.add(Rule.of(
                        "counter", Limit.slidingWindowCounter(limit, SECOND).buckets(buckets)));
            }
            rules.add(Rule.of("log", Limit.slidingWindowLog(limit, SECOND)));
            rules.add(Rule.of("concurrency", Limit.concurrency(limit)));
        }
        rules.add(Rule.of(
                "several",
                Limit.tokenBucket(10, SECOND).named("burst"),
                Limit.slidingWindowCounter(40, Duration.ofSeconds(10)).named("counter"),
                Limit.fixedWindow(100, MINUTE).named("window"),
                Limit.slidingWindowLog(200, Duration.ofMinutes(5)).named("log")));
        rules.add(Rule.of(
                "costs",
                Limit.leakyBucket(1000, SECOND).named("bucket"),
                Limit.fixedWindow(30, Duration.ofSeconds(3)).alignFirst().named("first"),
                Limit.calendarWindow(100_000, Period.ofDays(1), ZoneId.of("UTC"))
                        .named("daily")));
        return rules.stream();
    }

    /** Rules of one request that may wait for each of them, with intervals of whole microseconds. */
    static Stream<List<Rule>> pairs() {
        Rule slow = Rule.of("slow", Limit.leakyBucket(1, SECOND).burst(20).paced());
        Rule burst = Rule.of("burst", Limit.tokenBucket(2, SECOND).burst(4));
        Rule several = Rule.of(
                "several",
                Limit.tokenBucket(4, SECOND).named("bucket"),
                Limit.leakyBucket(5, SECOND).paced().named("paced"),
                Limit.fixedWindow(30, Duration.ofSeconds(10)).named("window"),
                Limit.slidingWindowLog(60, MINUTE).named("log"));
        return Stream.concat(
                Stream.of(
                                Limit.tokenBucket(10, SECOND),
                                Limit.leakyBucket(5, SECOND).paced(),
                                Limit.tokenBucket(8, SECOND).warmUp(Duration.ofSeconds(2)),
                                Limit.fixedWindow(3, SECOND),
                                Limit.fixedWindow(10, SECOND).alignFirst(),
                                Limit.calendarWindow(1000, Period.ofDays(1), ZoneId.of("UTC")),
                                Limit.slidingWindowCounter(10, SECOND),
                                Limit.slidingWindowLog(10, SECOND),
                                Limit.concurrency(12))
                        .map(limit -> List.of(slow, Rule.of("other", limit))),
                Stream.of(List.of(burst, slow), List.of(several, slow), List.of(slow, several, burst)));
    }

    static Stream<List<Rule>> requests() {
        return Stream.concat(rules().map(List::of), pairs());
    }

    /** In parallel, because each run mostly waits for the server. */
    private static final ExecutorService SEVERAL = Executors.newFixedThreadPool(4);

    private static final Map<List<Rule>, Future<?>> RUNS = new HashMap<>();

    @BeforeAll
    static void start() {
        RedisServer.shared();
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        requests().forEach(rules -> RUNS.put(rules, SEVERAL.submit(() -> new Run(rules, seed).run())));
    }

    @AfterAll
    static void stop() {
        SEVERAL.shutdownNow();
        RUNS.clear();
    }

    @ParameterizedTest
    @MethodSource("requests")
    void decidesLikeMemory(List<Rule> rules) {
        assertThat(RUNS.get(rules)).succeedsWithin(Duration.ofMinutes(5));
    }

    private static final class Run {

        private final List<Rule> rules;
        private final List<Limit> limits;
        private final long seed;
        private final SplittableRandom random;
        private final VirtualTime time = new VirtualTime();
        private final RateLimiterStorage memory = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        private final RateLimiterStorage redis = RedisStorageProvider.of(time, "same-" + RUNS_MADE.incrementAndGet());
        private final List<List<Decision>> taken = new ArrayList<>();
        private final long window;
        private long wait;

        Run(List<Rule> rules, long seed) {
            this.rules = rules;
            this.limits = rules.stream().flatMap(rule -> rule.limits().stream()).toList();
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.window = Math.max(limits.get(0).window().toNanos(), 1_000_000) / 1000;
        }

        void run() {
            for (int i = 0; i < steps() && time.now() < (1L << 62) - 4000 * window; i++) {
                time.advance(1000 * step());
                try {
                    if (random.nextInt(10) == 0 && !taken.isEmpty()) {
                        giveBack();
                    } else {
                        decide();
                    }
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("-Dlimiter.seed=" + seed + ", step " + i + " of " + rules, e);
                }
            }
        }

        /** Returns many steps for one rule of each algorithm, fewer for variants. */
        private int steps() {
            if (rules.size() > 1) {
                return STEPS / 5;
            }
            Limit limit = limits.get(0);
            boolean longer = limit.window().compareTo(SECOND) > 0
                    && BUCKETS.contains(rules.get(0).name());
            boolean variant = longer || limit instanceof Limit.SlidingWindowCounter counter && counter.buckets() != 10;
            return limit.limit() == 7 && !variant || limits.size() > 1 ? STEPS : STEPS / 20;
        }

        private long step() {
            long limit = limits.get(0).limit();
            return switch (random.nextInt(12)) {
                case 0, 1, 2 -> 0;
                case 3, 4 -> random.nextLong(4);
                case 5, 6, 7 -> wait;
                case 8 -> Math.max(wait - 1, 0);
                case 9 -> window / limit;
                case 10 -> random.nextLong(window) / 100;
                default -> random.nextInt(10) == 0 ? random.nextLong(3 * window) : window / 7;
            };
        }

        private void decide() {
            long capacity = limits.stream().mapToLong(Limit::capacity).min().orElseThrow();
            long permits = switch (random.nextInt(10)) {
                case 0 -> 0;
                case 1 -> capacity;
                case 2 -> capacity + 1;
                case 3, 4 -> 1 + random.nextLong(capacity);
                default -> 1;
            };
            List<Charge> charges = rules.stream()
                    .map(rule -> waiting(costing(rule.charge("key", permits))))
                    .toList();
            Decision expected = memory.decide(charges);
            Decision answered = redis.decide(charges);
            assertSame(answered, expected);
            wait = micros(expected.retryAfter().orElse(expected.delay()));
            if (expected.permitted() && charges.stream().anyMatch(charge -> charge.permits() > 0)) {
                taken.add(List.of(expected, answered));
                if (taken.size() > 10) {
                    taken.remove(0).forEach(Decision::close);
                }
            }
        }

        /** Adds a maximum wait to some charges of requests with several rules. */
        private Charge waiting(Charge charge) {
            boolean waits = rules.size() > 1 && random.nextInt(4) > 0;
            return waits ? charge.maxWait(Duration.ofNanos(1000 * random.nextLong(6 * window))) : charge;
        }

        /** Sets other costs for one or more limits in half of the requests. */
        private Charge costing(Charge charge) {
            Charge costing = charge;
            List<Limit> own = charge.rule().limits();
            for (Limit limit : own.size() > 1 && random.nextBoolean() ? own : List.<Limit>of()) {
                long permits = switch (random.nextInt(6)) {
                    case 0, 1 -> 0;
                    case 2 -> random.nextInt(10) == 0 ? limit.capacity() + 1 : 2;
                    case 3 -> 1 + random.nextLong(limit.capacity());
                    default -> charge.permits();
                };
                costing = costing.cost(limit.name(), permits);
            }
            return costing;
        }

        private void giveBack() {
            List<Decision> last =
                    taken.remove(random.nextInt(3) == 0 ? random.nextInt(taken.size()) : taken.size() - 1);
            last.forEach(Decision::giveBack);
            if (limits.size() > 1) {
                // memory counts returns of all limits of a rule together, so it returns less of the others; Redis
                // returns nothing of a turn before the last one, even after that was returned
                taken.forEach(decisions -> decisions.forEach(Decision::close));
                taken.clear();
            }
            rules.forEach(rule -> assertSame(redis.peek(rule, "key"), memory.peek(rule, "key")));
        }

        private static void assertSame(Decision answered, Decision expected) {
            assertThat(answered.permitted()).isEqualTo(expected.permitted());
            assertThat(answered.never()).isEqualTo(expected.never());
            assertThat(answered.remaining()).isEqualTo(expected.remaining());
            assertThat(answered.limit()).isEqualTo(expected.limit());
            assertThat(micros(answered.resetAfter())).isEqualTo(micros(expected.resetAfter()));
            assertThat(answered.retryAfter().map(Run::micros))
                    .isEqualTo(expected.retryAfter().map(Run::micros));
            assertThat(delays(answered)).isEqualTo(delays(expected));
            assertThat(answered.limits())
                    .extracting(LimitStatus::remaining)
                    .isEqualTo(expected.limits().stream()
                            .map(LimitStatus::remaining)
                            .toList());
        }

        /** Returns the wait of a permitted request, and the waits for each rule. */
        private static List<Long> delays(Decision decision) {
            return Stream.concat(Stream.of(decision), decision.permitted() ? decision.parts().stream() : Stream.of())
                    .map(part -> micros(part.delay()))
                    .toList();
        }

        /** Rounds up to microseconds, like Redis. */
        private static long micros(Duration duration) {
            return -Math.floorDiv(-duration.toNanos(), 1000L);
        }
    }
}
