package dev.limiter.readme;

import static dev.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BusinessDayTests {

    private final AtomicLong now = new AtomicLong(Duration.parse("P20000DT5H").toNanos()); // 05:00
    private final Rule daily = Rule.of("daily", Limit.fixedWindow(5, Duration.ofDays(1)));

    @Test
    void dayBeginsAtSix() {
        RateLimiterFactory algorithms = new RateLimiterFactory(List.of(new BusinessDayStrategy()));
        try (RateLimiters limiters = new RateLimiters(new InMemoryRateLimiterStorage(algorithms, now::get, 10))) {
            assertThat(limiters.tryAcquire(daily, "ann", 5)).isPermitted().hasRemaining(0);
            assertThat(limiters.tryAcquire(daily, "ann")).isRefused().hasRetryAfter(Duration.ofHours(1));
            now.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(limiters.tryAcquire(daily, "ann")).isPermitted().hasRemaining(4);
        }
    }

    @Test
    void redisAnswersAsMemoryDoes() {
        RateLimiterFactory algorithms = new RateLimiterFactory(List.of(new SharedBusinessDayStrategy()));
        SplittableRandom random = new SplittableRandom(20_261_123);
        RedisURI uri = RedisURI.create(RedisServer.HOST, RedisServer.shared().port());
        try (RedisClient client = RedisClient.create();
                RateLimiters memory = new RateLimiters(new InMemoryRateLimiterStorage(algorithms, now::get, 10));
                RateLimiters redis = new RateLimiters(
                        RedisRateLimiterStorage.builder(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE, uri)))
                                .strategies(algorithms)
                                .timeSource(now::get)
                                .timeout(Duration.ofSeconds(10))
                                .keyPrefix("business-day:")
                                .build())) {
            for (int i = 0; i < 2000; i++) {
                now.addAndGet(Duration.ofMinutes(random.nextInt(-10, 240)).toNanos());
                long permits = random.nextInt(4);
                Decision expected = memory.tryAcquire(daily, "ann", permits);
                Decision answered = redis.tryAcquire(daily, "ann", permits);
                assertThat(answered.limits()).as("step %d", i).isEqualTo(expected.limits());
                if (random.nextInt(4) == 0) {
                    expected.giveBack();
                    answered.giveBack();
                }
            }
        }
    }
}
