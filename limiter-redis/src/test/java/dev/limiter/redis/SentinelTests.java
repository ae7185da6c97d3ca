package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisSentinel;
import dev.limiter.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A master, its replica and a Sentinel: whatever happens to the master, its replica continues with the used permits.
 */
@Tag("long")
class SentinelTests {

    private static final long LIMIT = 100;
    private static final int INSTANCES = 4;

    /** Calls that may be counted although no caller received the reply. */
    private static final int IN_FLIGHT = 10;

    private final Rule rule = Rule.of("rule", Limit.tokenBucket(LIMIT, Duration.ofDays(1)));
    private final Rule pool = Rule.of("pool", Limit.concurrency(5));
    private final RedisSentinel servers = new RedisSentinel();
    private final FastTimeoutClient client = FastTimeoutClient.of(servers);
    private final ConnectingRedis redis = new ConnectingRedis(client::connect);
    private final FailoverRateLimiterStorage storage = FailoverRateLimiterStorage.builder(
                    RedisRateLimiterStorage.builder(redis)
                            .timeout(Duration.ofMillis(500))
                            .build(),
                    new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000))
            .instances(INSTANCES)
            .build();

    @BeforeEach
    void connect() {
        awaitRedis();
    }

    @AfterEach
    void stop() {
        storage.close();
        client.close();
        servers.close();
    }

    private void awaitRedis() {
        Conditions.await(() -> {
            storage.cleanUp();
            return storage.isAvailable() && isOfRedis(storage.peek(rule, "other"));
        });
    }

    private static boolean isOfRedis(Decision decision) {
        return decision.onFailure().isEmpty();
    }

    @Test
    void thePromotedReplicaOfADeadMasterKeepsUsedPermits() {
        goesOnAfter(RedisServer::kill);
    }

    @Test
    void thePromotedReplicaReplacesAPausedMaster() {
        goesOnAfter(RedisServer::pause);
    }

    /** Counts a decision; returns whether it is permitted. */
    private static boolean count(Decision decision, AtomicLong inRedis, AtomicLong inMemory) {
        if (decision.permitted()) {
            (isOfRedis(decision) ? inRedis : inMemory).incrementAndGet();
        }
        return decision.permitted();
    }

    /** Every caller gets a decision, Redis permits the limit, and memory its share until the promotion. */
    private void goesOnAfter(Consumer<RedisServer> event) {
        for (int i = 0; i < 40; i++) {
            assertThat(isOfRedis(storage.decide(rule, "key", 1))).isTrue();
        }
        for (int i = 0; i < 3; i++) {
            assertThat(storage.decide(pool, "key", 1).permitted()).isTrue();
        }
        servers.awaitReplication();

        event.accept(servers.master());

        AtomicLong inRedis = new AtomicLong(40);
        AtomicLong inMemory = new AtomicLong();
        Conditions.await(() -> {
            storage.cleanUp();
            count(storage.decide(rule, "key", 1), inRedis, inMemory);
            return servers.isPromoted() && isOfRedis(storage.decide(rule, "key", 0));
        });
        assertThat(inMemory).hasValueBetween(1, LIMIT);
        while (count(storage.decide(rule, "key", 1), inRedis, inMemory)) {
            // until the limit is used up
        }
        assertThat(inRedis).hasValueBetween(LIMIT - IN_FLIGHT, LIMIT);
        assertThat(storage.peek(pool, "key").remaining()).isEqualTo(2);
    }
}
