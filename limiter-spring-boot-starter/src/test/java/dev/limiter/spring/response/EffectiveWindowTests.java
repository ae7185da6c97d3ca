package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.test.VirtualTimeSource;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that use the shown permits within the shown time are not rejected. */
class EffectiveWindowTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();

    @Test
    void invitesToUseABucketNoFasterThanItIsRefilled() {
        Rule rule = Rule.of("all", Limit.tokenBucket(100, HOUR));

        assertThat(seconds(limiters.tryAcquire(rule, "a"))).isEqualTo(3564);
        assertThat(seconds(limiters.tryAcquire(rule, "a", 97))).isEqualTo(72);
        assertThat(seconds(limiters.tryAcquire(rule, "a", 2))).isEqualTo(36);
    }

    static List<Limit> buckets() {
        return List.of(
                Limit.tokenBucket(7, Duration.ofSeconds(60)),
                Limit.tokenBucket(7, Duration.ofSeconds(60)).burst(31),
                Limit.tokenBucket(7, Duration.ofSeconds(60)).burst(1),
                Limit.leakyBucket(13, HOUR).burst(20),
                Limit.leakyBucket(3, HOUR).paced(),
                Limit.tokenBucket(Limit.MAX_PERMITS, Duration.ofDays(3660)).burst(5));
    }

    /** A peek contains the time to the next permit. */
    @ParameterizedTest
    @MethodSource("buckets")
    void followsTheRateOrTheNextPermit(Limit limit) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Rule rule = Rule.of("bucket", limit);
        for (int round = 0; round < 500; round++) {
            Decision decision = limiters.tryAcquire(rule, "a", 1 + random.nextInt((int) Math.min(limit.capacity(), 3)));
            if (decision.permitted()) {
                Decision next = limiters.peek(rule, "a");
                long expected = decision.remaining() > 0
                        ? refillSeconds(limit, decision.remaining())
                        : FieldMembers.secondsRoundedUp(next.retryAfter().orElseThrow());

                assertThat(seconds(decision))
                        .as("%s left, seed %s, round %s", decision.remaining(), seed, round)
                        .isEqualTo(expected);
            }
            time.advance(Duration.ofMillis(random.nextInt(12_000)));
        }
    }

    /** If the interval is not a whole number of nanoseconds, the time to the next permit may be rounded to seconds. */
    @Test
    void wholeSecondsAreNotRoundedUp() {
        Rule rule =
                Rule.of("sevenths", Limit.tokenBucket(7, Duration.ofSeconds(60)).burst(31));
        limiters.tryAcquire(rule, "a", 31);
        time.advance(Duration.ofSeconds(54));

        assertThat(seconds(limiters.tryAcquire(rule, "a", 6))).isEqualTo(6);
    }

    private static long refillSeconds(Limit limit, long permits) {
        BigInteger[] seconds = BigInteger.valueOf(permits)
                .multiply(BigInteger.valueOf(limit.window().toNanos()))
                .divideAndRemainder(BigInteger.valueOf(limit.limit()).multiply(SECOND));
        return seconds[0].longValueExact() + seconds[1].signum();
    }

    /** The state of the warm-up is not known, so the time may be longer, but never as long as a full cool-down. */
    @Test
    void warmingBucketHasTheTimeOfTheNextPermit() {
        Rule rule =
                Rule.of("slow", Limit.tokenBucket(10, Duration.ofSeconds(100)).warmUp(Duration.ofHours(1)));
        for (int round = 0; round < 500; round++) {
            Decision decision = limiters.tryAcquire(rule, "a");
            Duration next = limiters.peek(rule, "a").retryAfter().orElseThrow();

            assertThat(Duration.ofSeconds(seconds(decision)))
                    .isGreaterThanOrEqualTo(next)
                    .isLessThanOrEqualTo(Duration.ofSeconds(30));
            time.advance(next);
        }
    }

    /** The next permit is the first one outside the reserve, even if others have used permits of the reserve. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5})
    void hasTheTimeOfThePermitOutsideTheReserve(int others) {
        Rule rule = Rule.of("reserved", Limit.tokenBucket(10, Duration.ofSeconds(100)));
        Charge ordinary = rule.charge("a").reserve(50);
        limiters.tryAcquire(rule.charge("a", 5).reserve(50));
        limiters.tryAcquire(rule, "a", others);
        Decision last = limiters.tryAcquire(rule.charge("a", 0).reserve(50));
        assertThat(last.permitted()).isTrue();
        assertThat(last.remaining()).isZero();
        assertThat(seconds(last, ordinary)).isEqualTo(10 * (others + 1));
        assertThat(limiters.tryAcquire(ordinary).retryAfter()).contains(Duration.ofSeconds(10 * (others + 1)));
    }

    private static long seconds(Decision decision) {
        return seconds(decision, decision.rule().charge("a"));
    }

    private static long seconds(Decision decision, Charge charge) {
        return EffectiveWindow.seconds(
                decision.limit(), decision.remaining(), charge, decision.retryAfter(), decision.resetAfter());
    }
}
