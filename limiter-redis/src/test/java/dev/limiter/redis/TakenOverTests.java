package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What was used under a limit counts under the next one, in memory and in Redis. */
class TakenOverTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage memory = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 100_000);
    private final RateLimiterStorage redis = RedisStorageProvider.of(time);

    private static List<Limit> limits() {
        return List.of(
                Limit.tokenBucket(20, MINUTE),
                Limit.tokenBucket(30, HOUR).burst(10),
                Limit.leakyBucket(20, MINUTE.multipliedBy(3)),
                Limit.fixedWindow(20, MINUTE),
                Limit.fixedWindow(30, DAY),
                Limit.fixedWindow(20, MINUTE).startingWithFirst(),
                Limit.fixedWindow(10, HOUR.multipliedBy(2)).startingWithFirst(),
                Limit.calendarWindow(20, Period.ofDays(1), ZoneOffset.UTC),
                Limit.calendarWindow(30, Period.ofMonths(1), ZoneOffset.UTC),
                Limit.slidingWindowCounter(20, MINUTE),
                Limit.slidingWindowCounter(10, HOUR).buckets(7),
                Limit.slidingWindowLog(20, MINUTE),
                Limit.slidingWindowLog(30, HOUR));
    }

    private long granted(RateLimiterStorage storage, Limit limit, long... costs) {
        long granted = 0;
        for (long cost : costs) {
            time.advance(1000);
            granted += storage.decide(Rule.of("rule", limit), "key", cost).permitted() ? cost : 0;
        }
        return granted;
    }

    static Stream<Limit> limitsOfTenOrMore() {
        return limits().stream();
    }

    @ParameterizedTest
    @MethodSource("limitsOfTenOrMore")
    void theFirstChargeOfAShorterWindowCounts(Limit from) {
        Limit to = Limit.fixedWindow(10, from.window().dividedBy(12)).startingWithFirst();
        for (RateLimiterStorage storage : List.of(memory, redis)) {
            granted(storage, from, 4);
        }
        time.advance(Duration.ofNanos(from.window().dividedBy(5).toNanos() / 1000 * 1000));
        for (RateLimiterStorage storage : List.of(memory, redis)) {
            assertThat(granted(storage, to, 3, 3, 3, 3, 1, 1, 1, 1)).isLessThanOrEqualTo(10);
        }
    }

    @Test
    void aShortenedLogForgetsWhatHasLeftItsWindow() {
        for (RateLimiterStorage storage : List.of(memory, redis)) {
            granted(storage, Limit.slidingWindowLog(10, MINUTE), 4);
        }
        time.advance(Duration.ofMillis(5600));
        Limit shortened = Limit.slidingWindowLog(10, Duration.ofSeconds(5));
        assertThat(granted(memory, shortened, 3, 3, 3, 3, 1)).isEqualTo(10);
        assertThat(granted(redis, shortened, 3, 3, 3, 3, 1)).isEqualTo(10);
    }
}
