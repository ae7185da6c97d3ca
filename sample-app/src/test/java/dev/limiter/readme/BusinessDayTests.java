package dev.limiter.readme;

import static dev.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.RedisRateLimiterStorage;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicBoolean;
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

class TableStorageTests {

    private final AtomicBoolean down = new AtomicBoolean();
    private final Map<String, UsedLimit.Row> table = new ConcurrentHashMap<>();
    private final Executor connections = task -> {
        if (down.get()) {
            throw new IllegalStateException("The database is gone");
        }
        ForkJoinPool.commonPool().execute(task);
    };
    private final TimeSource time = new VirtualTimeSource();
    private final Rule orders = Rule.of("orders", Limit.tokenBucket(100, Duration.ofHours(1)));

    @Test
    void twoInstancesShareTheLimit() {
        try (RateLimiters one = instance();
                RateLimiters other = instance()) {
            assertThat(one.tryAcquire(orders, "ann", 60)).isPermitted().hasRemaining(40);
            assertThat(other.tryAcquire(orders, "ann", 60)).isRefused().hasRemaining(40);
            assertThat(other.tryAcquire(orders, "ann", 40)).isPermitted().hasRemaining(0);
        }
    }

    @Test
    void eachGoesOnWithItsShareWhileTheDatabaseIsGone() {
        try (RateLimiters one = instance()) {
            assertThat(one.tryAcquire(orders, "ann", 60)).isPermitted();
            down.set(true);
            Decision inMemory = one.tryAcquire(orders, "ann", 50); // half of the limit
            assertThat(inMemory).isPermitted();
            assertThat(inMemory.onFailure()).contains(OnFailure.LOCAL);
            assertThat(one.tryAcquire(orders, "ann")).isRefused();
            down.set(false);
            assertThat(one.tryAcquire(orders, "bob", 100)).isPermitted().hasRemaining(0);
        }
    }

    private RateLimiters instance() {
        TableStorage shared = new TableStorage(table, connections, time);
        InMemoryRateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
        return new RateLimiters(FailoverRateLimiterStorage.builder(shared, local)
                .instances(2)
                .onFailure(rule -> OnFailure.LOCAL)
                .build());
    }
}
