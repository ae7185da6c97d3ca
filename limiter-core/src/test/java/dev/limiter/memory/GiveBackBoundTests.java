package dev.limiter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** However permits are returned, the others never exceed the bound of their limit. */
class GiveBackBoundTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int STEPS = 400;
    private static final int RUNS = 60;

    private final VirtualTime time = new VirtualTime();
    private final InMemoryRateLimiterStorage storage =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100);

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

    static Stream<Rule> rules() {
        Limit bucket = Limit.tokenBucket(20, SECOND);
        return Stream.of(
                Rule.of("bucket", bucket),
                Rule.of("burst", Limit.tokenBucket(20, SECOND).burst(50)),
                Rule.of("leaky", Limit.leakyBucket(20, SECOND)),
                Rule.of("two", bucket, Limit.fixedWindow(1_000_000, SECOND).named("too")),
                Rule.of(
                        "mixed",
                        bucket,
                        Limit.slidingWindowLog(1_000_000, SECOND).named("too")));
    }

    private record Grant(long time, long permits, Decision decision) {}

    @ParameterizedTest
    @MethodSource("rules")
    void permitsNotRefundedAreWithinTheBoundOverEveryWindow(Rule rule) {
        long seed = Long.getLong("limiter.seed", 20_261_121L);
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < RUNS; run++) {
            List<Grant> kept = grants(rule, "key" + run, random);
            long capacity = rule.limits().get(0).capacity();
            for (int from = 0; from < kept.size(); from++) {
                long sum = 0;
                for (int to = from; to < kept.size(); to++) {
                    sum += kept.get(to).permits();
                    long nanos = kept.get(to).time() - kept.get(from).time();
                    long bound = capacity + (nanos * 20 + SECOND.toNanos() - 1) / SECOND.toNanos();
                    assertThat(sum)
                            .as("-Dlimiter.seed=%d, run %d, in %d ns", seed, run, nanos)
                            .isLessThanOrEqualTo(bound);
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
                time.advance(random.nextLong(SECOND.toNanos() / (kind == 9 ? 5 : 50)));
            }
            if (open.size() > 15) {
                kept.add(open.remove(0));
            }
        }
        kept.addAll(open);
        kept.sort((one, other) -> Long.compare(one.time(), other.time()));
        return kept;
    }
}
