package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.failover.StorageListener;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests on a real server that is killed, paused, full or a replica. */
class FailoverTests implements StorageListener {

    private static final Duration DAY = Duration.ofDays(1);

    private final RedisServer server = RedisServer.started();
    private final FastTimeoutClient client = FastTimeoutClient.of(server);
    /** Long enough for a busy machine. */
    private Duration timeout = Duration.ofSeconds(2);

    private final List<String> changes = new CopyOnWriteArrayList<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final Rule rule = Rule.of("rule", Limit.tokenBucket(100, DAY));
    private FailoverRateLimiterStorage storage =
            storage(client.redis()).instances(4).build();

    private FailoverRateLimiterStorage.Builder storage(Redis redis) {
        RateLimiterStorage local = new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000);
        return FailoverRateLimiterStorage.builder(
                        RedisRateLimiterStorage.builder(counting(redis))
                                .timeout(timeout)
                                .build(),
                        local)
                .listener(this);
    }

    private Redis counting(Redis redis) {
        return new FakeRedis() {
            @Override
            public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
                calls.incrementAndGet();
                return redis.run(script, keys, arguments);
            }
        };
    }

    @Override
    public void lost(String node, Throwable cause) {
        changes.add("lost");
    }

    @Override
    public void found(String node) {
        changes.add("found");
    }

    /** The first script of a JVM may take longer than a decision should. */
    @BeforeEach
    void warmUp() {
        await(() -> take("warm", 1).onFailure().isEmpty());
        changes.clear();
        calls.set(1);
    }

    @AfterEach
    void stop() {
        storage.close();
        client.close();
        server.close();
    }

    private Decision take(String key, long permits) {
        return storage.decide(rule, key, permits);
    }

    private void await(BooleanSupplier condition) {
        Conditions.await(() -> {
            storage.cleanUp();
            return condition.getAsBoolean();
        });
    }

    private void loseServer() {
        for (int i = 0; i < 100 && storage.isAvailable(); i++) {
            assertThat(take("lost" + i, 1).permitted()).isTrue();
        }
        assertThat(storage.isAvailable()).isFalse();
    }

    @Test
    void aDeadServerIsReplacedByTheShareInMemory() {
        take("key", 1);
        server.kill();
        loseServer();
        // a quarter of the limit, for each of four instances
        for (int i = 0; i < 25; i++) {
            Decision decision = take("key", 1);
            assertThat(decision.permitted()).isTrue();
            assertThat(decision.onFailure()).contains(OnFailure.LOCAL);
        }
        assertThat(take("key", 1).permitted()).isFalse();
        assertThat(changes).containsExactly("lost");
    }

    @Test
    void aPausedServerCostsTheTimeoutUntilItsBreakerOpens() {
        timeout = Duration.ofMillis(200);
        storage = storage(client.redis()).instances(4).build();
        await(() -> take("key", 1).onFailure().isEmpty());
        changes.clear();
        calls.set(1);
        server.pause();
        loseServer();
        // one with a reply, five without, and those while a probe has no reply either
        assertThat(calls.get()).isBetween(7, 10);
        server.resume();
        await(() -> storage.isAvailable());
        assertThat(take("key", 1).onFailure()).isEmpty();
        await(() -> changes.equals(List.of("lost", "found"))); // notified just after it is available
    }

    @Test
    void permitsGrantedInMemoryAreNotChargedLater() {
        take("key", 1);
        server.kill();
        loseServer();
        take("key", 10);
        take("key", 5);
        server.start();
        await(() -> storage.isAvailable());
        Decision decision = take("key", 1);
        assertThat(decision.onFailure()).isEmpty();
        // the server is empty: its previous state is lost
        assertThat(decision.remaining()).isEqualTo(99);
    }

    @Test
    void waitingRequestsArePermittedDuringAndAfterAnOutage() {
        RateLimiters limiters = new RateLimiters(storage);
        Rule pool = Rule.of("pool", Limit.concurrency(4));
        Rule paced =
                Rule.of("paced", Limit.leakyBucket(100, Duration.ofSeconds(1)).paced());
        server.kill();
        loseServer();
        Decision first = limiters.acquire(pool, "key", DAY);
        CompletableFuture<Decision> second = limiters.acquireAsync(pool, "key", DAY);
        CompletableFuture<Decision> third = limiters.acquireAsync(pool, "key", DAY);
        assertThat(limiters.acquire(paced, "key", DAY).permitted()).isTrue();
        assertThat(limiters.acquire(paced, "key", DAY).permitted()).isTrue();
        assertThat(limiters.waiting()).isEqualTo(2);
        first.close();
        assertThat(second.join().onFailure()).contains(OnFailure.LOCAL);

        server.start();
        await(() -> storage.isAvailable());

        assertThat(third.join().onFailure()).isEmpty();
        second.join().close();
        third.join().close();
        await(() -> storage.peek(pool, "key").remaining() == 4);
    }

    /** Like a server that has just become a replica, or has too few of them. */
    @ParameterizedTest
    @ValueSource(strings = {"READONLY", "NOREPLICAS", "NOPERM"})
    void releasesAndRefundsDuringRejectionsAreRetried(String why) {
        Rule pool = Rule.of("pool", Limit.concurrency(8));
        List<Decision> held = new ArrayList<>();
        try (var commands = server.connect()) {
            for (int i = 0; i < 5; i++) {
                held.add(storage.decide(pool, "key", 1));
            }
            Decision taken = take("key", 40);
            reject(commands, why, true);
            int before = calls.get();
            held.forEach(Decision::close);
            taken.giveBack();
            await(() -> calls.get() > before + 20);
            reject(commands, why, false);
            await(() -> commands.sync().exists("limiter:{pool:key}") == 0);
            if (!why.equals("NOPERM")) {
                await(() -> storage.isAvailable() && storage.peek(rule, "key").remaining() == 100);
            }
        }
    }

    private static void reject(StatefulRedisConnection<String, String> commands, String why, boolean reject) {
        switch (why) {
            case "READONLY" -> {
                if (reject) {
                    commands.sync().replicaof("127.0.0.1", 1);
                } else {
                    commands.sync().replicaofNoOne();
                }
            }
            case "NOREPLICAS" -> commands.sync().configSet("min-replicas-to-write", reject ? "1" : "0");
            default ->
                commands.sync()
                        .dispatch(
                                CommandType.ACL,
                                new StatusOutput<>(StringCodec.UTF8),
                                new CommandArgs<>(StringCodec.UTF8)
                                        .add("SETUSER")
                                        .add("default")
                                        .add(reject ? "-zrem" : "+zrem"));
        }
    }

    @Test
    void aFullServerIsNotCalledUntilThereIsSpace() {
        take("key", 100);
        try (var commands = server.connect()) {
            commands.sync().configSet("maxmemory", "1");
            // rejections write nothing
            assertThat(take("key", 1).onFailure()).isEmpty();
            loseServer();
            commands.sync().configSet("maxmemory", "0");
            await(() -> storage.isAvailable());
            assertThat(take("new", 1).onFailure()).isEmpty();
        }
    }

    @Test
    void aReplicaIsNotCalledUntilItIsMasterAgain() {
        take("key", 1);
        try (var commands = server.connect()) {
            commands.sync().configSet("replica-serve-stale-data", "yes");
            commands.sync().replicaof("127.0.0.1", 1);
            loseServer();
            commands.sync().replicaofNoOne();
            await(() -> storage.isAvailable());
            assertThat(take("key", 1).remaining()).isEqualTo(98);
        }
    }

    @Test
    void scriptsFlushedByTheServerAreSentAgain() {
        take("key", 1);
        try (var commands = server.connect()) {
            commands.sync().scriptFlush();
            assertThat(take("key", 1).remaining()).isEqualTo(98);
            assertThat(take("key", 1).onFailure()).isEmpty();
        }
    }

    @Test
    void startsWithoutAServerAndUsesItOnceItIsUp() {
        server.kill();
        ConnectingRedis connecting = new ConnectingRedis(client::connect);
        storage = storage(connecting).instances(4).build();
        connecting.connect();
        loseServer();
        server.start();
        await(() -> storage.isAvailable());
        assertThat(take("key", 1).onFailure()).isEmpty();
    }

    @Test
    void instancesAreCountedThroughRedis() {
        List<FailoverRateLimiterStorage> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            all.add(storage(client.redis()).build());
        }
        assertThat(all.get(0).instances()).isEqualTo(1);
        try (var commands = server.connect()) {
            for (int i = 0; i < 3; i++) {
                // one after the other: each counts those that were there before it
                storage = all.get(i);
                storage.cleanUp();
                int said = i + 1;
                await(() -> commands.sync().zcard("limiter:instances") == said);
            }
        }
        await(() -> storage.instances() == 3);
        server.kill();
        for (int i = 0; i < 33; i++) {
            assertThat(take("key", 1).permitted()).isTrue();
        }
        assertThat(take("key", 1).permitted()).isFalse();
        all.forEach(RateLimiterStorage::close);
    }

    @Test
    void aClosedInstanceIsNotCounted() {
        FailoverRateLimiterStorage first = storage(client.redis()).build();
        FailoverRateLimiterStorage second = storage(client.redis()).build();
        try (var commands = server.connect()) {
            first.cleanUp();
            second.cleanUp();
            await(() -> commands.sync().zcard("limiter:instances") == 2);
            first.close();
            first.cleanUp();
            assertThat(commands.sync().zcard("limiter:instances")).isEqualTo(1);
        }
        // does not wait for a server that hangs
        server.pause();
        second.close();
    }
}
