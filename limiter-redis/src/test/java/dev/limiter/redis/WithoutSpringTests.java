package dev.limiter.redis;

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
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example of {@code docs/guides/without-spring.md}. */
class WithoutSpringTests {

    private final RedisServer server = RedisServer.shared();

    @Test
    void decidesInRedisAndContinuesWithoutIt() {
        RedisURI uri = RedisURI.create("127.0.0.1", server.port());
        RedisClient client = RedisClient.create();
        ConnectingRedis connection = new ConnectingRedis(
                () -> client.connectAsync(ByteArrayCodec.INSTANCE, uri).thenApply(LettuceRedis::new));
        connection.connect();
        RedisRateLimiterStorage redis = RedisRateLimiterStorage.builder(connection)
                .keyPrefix("without-spring:")
                .timeout(Duration.ofSeconds(10)) // longer than in the guide, because the server is busy with tests
                .build();
        FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                        redis, new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 100_000))
                .onFailure(rule -> OnFailure.LOCAL)
                .build();
        Rule checkout = Rule.of("checkout", Limit.tokenBucket(1, Duration.ofHours(1)));
        try (RateLimiters limiters = new RateLimiters(storage)) {
            storage.warmUp(List.of(checkout), Duration.ofSeconds(5));
            storage.cleanUp();
            Decision first = limiters.tryAcquire(checkout, "alice");
            assertThat(first.permitted()).isTrue();
            assertThat(first.onFailure()).isEmpty();
            assertThat(limiters.tryAcquire(checkout, "alice").permitted()).isFalse();
            redis.redis().close();
            Decision local = limiters.tryAcquire(checkout, "bob");
            assertThat(local.permitted()).isTrue();
            assertThat(local.onFailure()).contains(OnFailure.LOCAL);
        } finally {
            client.shutdown();
        }
    }
}
