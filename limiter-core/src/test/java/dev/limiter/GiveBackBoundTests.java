package dev.limiter;

import static dev.limiter.VirtualTime.times;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** However permits are returned, the others never exceed the bound of their limit. */
class GiveBackBoundTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long WINDOW = SECOND.toNanos();
    private static final int STEPS = 400;
    private static final int RUNS = times(120);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage storage = TestedStorage.limiters(time).storage();

    @Test
    void permitsThatLeakedDuringRefundsAreNotGrantedAgain() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(1000, SECOND));
        Decision first = storage.decide(rule, "key", 500);
        Decision second = storage.decide(rule, "key", 500);
        first.giveBack();
        time.advance(SECOND.dividedBy(2));
        assertThat(storage.decide(rule, "key", 1000).permitted()).isTrue();
        second.giveBack();
        assertThat(storage.decide(rule, "key", 1).permitted()).isFalse();
    }

    /** The bucket is empty in between, but its count of returned permits is kept. */
    @Test
    void refundsAreRememberedWhileTheBucketIsEmpty() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(1000, SECOND));
        Decision first = storage.decide(rule, "key", 500);
        Decision second = storage.decide(rule, "key", 500);
        first.giveBack();
        time.advance(SECOND.dividedBy(2));
        storage.decide(rule, "key", 1).giveBack();
        assertThat(storage.decide(rule, "key", 1000).permitted()).isTrue();
        second.giveBack();
        assertThat(storage.decide(rule, "key", 1).permitted()).isFalse();
    }

    /** A charge leaks at the faster of both rates. */
    @ParameterizedTest
    @CsvSource({"10, 20", "20, 10"})
    void permitsThatLeakedUnderTheFasterLimitAreNotRefunded(long before, long after) {
        Duration window = Duration.ofSeconds(10);
        Rule first = Rule.of("rule", Limit.tokenBucket(before, window).burst(10));
        Rule second = Rule.of("rule", Limit.tokenBucket(after, window).burst(10));
        Decision taken = storage.decide(first, "key", 10);
        time.advance(before > after ? SECOND.multipliedBy(5) : Duration.ZERO);
        storage.decide(second, "key", 1);
        time.advance(before > after ? Duration.ZERO : SECOND.multipliedBy(5));
        storage.decide(second, "key", storage.peek(second, "key").remaining());
        taken.giveBack();
        assertThat(storage.decide(second, "key", 1).permitted()).isFalse();
    }

    @Test
    void permitsRefundedAtOnceAreRefundedInFullInAnyOrder() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(5, Duration.ofHours(1)));
        List<Decision> taken = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            taken.add(storage.decide(rule, "key", 1));
        }
        for (int i : new int[] {3, 0, 4, 2, 1}) {
            taken.get(i).giveBack();
        }
        assertThat(storage.decide(rule, "key", 5).permitted()).isTrue();
    }

    /** A rule, and the most permits in any {@code nanos}. */
    private record Case(Rule rule, LongUnaryOperator bound) {

        static Case bucket(String name, long capacity, Limit... limits) {
            return new Case(Rule.of(name, limits), nanos -> capacity + (nanos * 20 + WINDOW - 1) / WINDOW);
        }

        /**
         * Creates a case with {@code most} permits per window; a period overlaps {@code more} windows than its length.
         */
        static Case windows(String name, long most, int more, Limit limit) {
            return new Case(Rule.of(name, limit), nanos -> most * (nanos / WINDOW + (nanos == 0 ? 1 : more)));
        }

        @Override
        public String toString() {
            return rule.name();
        }
    }

    static Stream<Case> cases() {
        Limit bucket = Limit.tokenBucket(20, SECOND);
        return Stream.of(
                Case.bucket("bucket", 20, bucket),
                Case.bucket("burst", 50, Limit.tokenBucket(20, SECOND).burst(50)),
                Case.bucket("leaky", 20, Limit.leakyBucket(20, SECOND)),
                Case.bucket("warm", 20, Limit.tokenBucket(20, SECOND).warmUp(SECOND)),
                Case.bucket(
                        "two", 20, bucket, Limit.tokenBucket(1_000_000, SECOND).named("too")),
                Case.bucket(
                        "mixed",
                        20,
                        bucket,
                        Limit.slidingWindowLog(1_000_000, SECOND).named("too")),
                Case.windows("fixed", 20, 2, Limit.fixedWindow(20, SECOND)),
                Case.windows("first", 20, 2, Limit.fixedWindow(20, SECOND).alignFirst()),
                Case.windows("counter", 22, 1, Limit.slidingWindowCounter(20, SECOND)),
                Case.windows("log", 20, 1, Limit.slidingWindowLog(20, SECOND)));
    }

    private record Grant(long time, long permits, Decision decision) {}

    @ParameterizedTest
    @MethodSource("cases")
    void permitsNotRefundedAreWithinTheBoundOverEveryWindow(Case tried) {
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < RUNS; run++) {
            List<Grant> kept = grants(tried.rule(), "key" + run, random);
            for (int from = 0; from < kept.size(); from++) {
                long sum = 0;
                for (int to = from; to < kept.size(); to++) {
                    sum += kept.get(to).permits();
                    long nanos = kept.get(to).time() - kept.get(from).time();
                    assertThat(sum)
                            .as("-Dlimiter.seed=%d, run %d, in %d ns", seed, run, nanos)
                            .isLessThanOrEqualTo(tried.bound().applyAsLong(nanos));
                }
            }
        }
    }

    /** Returns the permits granted and not returned. */
    private List<Grant> grants(Rule rule, String key, SplittableRandom random) {
        List<Grant> open = new ArrayList<>();
        List<Grant> kept = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            int kind = random.nextInt(10);
            if (kind < 5) {
                long permits = random.nextLong(kind == 0 ? 20 : 3) + 1;
                Decision decision = storage.decide(rule, key, permits);
                if (decision.permitted()) {
                    open.add(new Grant(time.now(), permits, decision));
                }
            } else if (kind < 8 && !open.isEmpty()) {
                open.remove(random.nextInt(open.size())).decision().giveBack();
            } else {
                time.advance(random.nextLong(WINDOW / (kind == 9 ? 5 : 50)));
            }
            if (open.size() > 15) {
                kept.add(open.remove(0));
            }
        }
        kept.addAll(open);
        kept.sort(Comparator.comparingLong(Grant::time));
        return kept;
    }
}
