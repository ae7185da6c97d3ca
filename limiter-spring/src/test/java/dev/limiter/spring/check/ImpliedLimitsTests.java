package dev.limiter.spring.check;

import static dev.limiter.Limit.calendarWindow;
import static dev.limiter.Limit.concurrency;
import static dev.limiter.Limit.fixedWindow;
import static dev.limiter.Limit.leakyBucket;
import static dev.limiter.Limit.slidingWindowCounter;
import static dev.limiter.Limit.slidingWindowLog;
import static dev.limiter.Limit.tokenBucket;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImpliedLimitsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** A tight limit, a loose one, and whether the loose one never refuses first. */
    static Stream<Arguments> pairs() {
        return Stream.of(
                arguments(tokenBucket(10, SECOND), tokenBucket(10, SECOND), true),
                arguments(tokenBucket(10, SECOND), tokenBucket(9, SECOND), false),
                arguments(
                        tokenBucket(10, SECOND).burst(5),
                        tokenBucket(10, SECOND).burst(4),
                        false),
                arguments(tokenBucket(10, SECOND), tokenBucket(600, MINUTE), true),
                arguments(tokenBucket(10, SECOND), tokenBucket(599, MINUTE), false),
                arguments(tokenBucket(10, SECOND), leakyBucket(10, SECOND), true),
                arguments(tokenBucket(10, SECOND), slidingWindowLog(20, SECOND), true),
                arguments(tokenBucket(10, SECOND), slidingWindowLog(19, SECOND), false),
                arguments(fixedWindow(10, SECOND), tokenBucket(10, SECOND).burst(20), true),
                arguments(fixedWindow(10, SECOND), tokenBucket(10, SECOND).burst(19), false),
                arguments(fixedWindow(10, SECOND), fixedWindow(11, SECOND), true),
                arguments(fixedWindow(10, SECOND), fixedWindow(11, SECOND).startingWithFirst(), false),
                arguments(fixedWindow(10, SECOND), fixedWindow(30, SECOND).startingWithFirst(), true),
                arguments(slidingWindowLog(10, SECOND), slidingWindowCounter(10, SECOND), false),
                arguments(
                        slidingWindowLog(10, SECOND),
                        slidingWindowCounter(22, SECOND).buckets(10),
                        true),
                arguments(
                        slidingWindowLog(10, SECOND),
                        slidingWindowCounter(21, SECOND).buckets(10),
                        false),
                arguments(
                        slidingWindowCounter(5, SECOND).buckets(2),
                        slidingWindowCounter(6, SECOND).buckets(2),
                        true),
                arguments(concurrency(5), concurrency(5), true),
                arguments(concurrency(6), concurrency(5), false),
                arguments(concurrency(1), tokenBucket(1_000, SECOND), false),
                arguments(tokenBucket(1, MINUTE), concurrency(1_000), false),
                arguments(calendar(1, ZoneOffset.UTC), calendar(2, ZoneOffset.UTC), true),
                arguments(calendar(1, ZoneOffset.UTC), calendar(2, ZoneOffset.ofHours(1)), false),
                arguments(tokenBucket(1, MINUTE), calendar(1_000_000, ZoneOffset.UTC), false),
                arguments(tokenBucket(10, SECOND).warmUp(MINUTE), tokenBucket(20, SECOND), false),
                arguments(tokenBucket(10, SECOND), tokenBucket(20, SECOND).warmUp(MINUTE), false),
                arguments(leakyBucket(10, SECOND), leakyBucket(20, SECOND).paced(), false));
    }

    private static Limit calendar(long limit, ZoneOffset zone) {
        return calendarWindow(limit, Period.ofDays(1), zone);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void saysSoOnlyWhereItIsCertain(Limit tight, Limit loose, boolean implied) {
        assertThat(ImpliedLimits.implies(tight, loose)).isEqualTo(implied);
    }

    @Test
    void largestLimitsDoNotOverflow() {
        Limit largest = tokenBucket(Limit.MAX_PERMITS, Limit.MAX_WINDOW);
        assertThat(ImpliedLimits.implies(largest, tokenBucket(Limit.MAX_PERMITS, SECOND)))
                .isTrue();
        assertThat(ImpliedLimits.implies(tokenBucket(Limit.MAX_PERMITS, SECOND), largest))
                .isFalse();
    }

    /** Both limits get the same requests: those that the tight one permits. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void impliedLimitNeverRefusesFirst(long seed) {
        Random random = new Random(seed);
        int implied = 0;
        for (int i = 0; i < 400; i++) {
            Limit tight = limit(random, 8);
            Limit loose = limit(random, 40);
            if (ImpliedLimits.implies(tight, loose)) {
                implied++;
                assertThat(refusesFirst(tight, loose, random))
                        .as("%s although %s permits, seed %s", loose, tight, seed)
                        .isFalse();
            }
        }
        assertThat(implied).isPositive();
    }

    private static Limit limit(Random random, int most) {
        long permits = 1L + random.nextInt(most);
        Duration window = Duration.ofMillis(500 + 500L * random.nextInt(4));
        return switch (random.nextInt(6)) {
            case 0 -> tokenBucket(permits, window).burst(1L + random.nextInt(most));
            case 1 -> leakyBucket(permits, window).burst(1L + random.nextInt(most));
            case 2 -> fixedWindow(permits, window);
            case 3 -> fixedWindow(permits, window).startingWithFirst();
            case 4 -> slidingWindowCounter(permits, window).buckets(1 + random.nextInt(4));
            default -> slidingWindowLog(permits, window);
        };
    }

    private static boolean refusesFirst(Limit tight, Limit loose, Random random) {
        AtomicLong now = new AtomicLong(TimeUnit.DAYS.toNanos(20_000));
        RateLimiterStorage storage = new InMemoryRateLimiterStorage(new RateLimiterFactory(), now::get, 10);
        RateLimiters limiters = new RateLimiters(storage);
        Rule tightRule = Rule.of("tight", tight);
        Rule looseRule = Rule.of("loose", loose);
        for (int i = 0; i < 300; i++) {
            if (limiters.tryAcquire(tightRule, "").permitted()
                    && !limiters.tryAcquire(looseRule, "").permitted()) {
                return true;
            }
            now.addAndGet(random.nextInt(3) == 0 ? TimeUnit.MILLISECONDS.toNanos(random.nextInt(700)) : 0);
        }
        return false;
    }
}
