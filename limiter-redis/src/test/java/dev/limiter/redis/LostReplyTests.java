package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.testkit.RedisCluster;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.DnsResolver;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server executes a command, but its reply is lost with the connection: the next connection repeats nothing. */
class LostReplyTests {

    private static final Script COUNT = Script.of("return tostring(redis.call('incr', KEYS[1]))");
    private static final String KEY = "count";

    private final ClientResources resources = ClientResources.builder()
            .reconnectDelay(Delay.constant(Duration.ofMillis(100)))
            .build();

    private volatile boolean disconnected;

    @AfterEach
    void close() {
        var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
    }

    private void onOneServer(DisconnectedBehavior behavior, Lost test) {
        try (RedisServer server = RedisServer.started();
                LosingNetwork network = new LosingNetwork(server.port());
                RedisClient client = RedisClient.create(resources, RedisURI.create(RedisServer.HOST, network.port()))) {
            client.setOptions(
                    ClientOptions.builder().disconnectedBehavior(behavior).build());
            client.addListener(new RedisConnectionStateAdapter() {
                @Override
                public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                    disconnected = true;
                }
            });
            test.run(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)), server, network);
        }
    }

    private interface Lost {
        void run(Redis redis, RedisServer server, LosingNetwork network);
    }

    private static CompletableFuture<byte[]> count(Redis redis) {
        return redis.run(COUNT, new byte[][] {KEY.getBytes(UTF_8)}).toCompletableFuture();
    }

    private static boolean works(Redis redis) {
        return count(redis).handle((answer, failure) -> failure == null).join();
    }

    private static boolean isCounted(RedisServer server, int times) {
        return ("" + times).equals(server.ask(commands -> commands.get(KEY)));
    }

    /** The second and third commands are executed, but have no reply. */
    private static void isDoneOnce(Redis redis, RedisServer server, LosingNetwork network) {
        count(redis).join();
        network.withhold();
        CompletableFuture<byte[]> second = count(redis);
        CompletableFuture<byte[]> third = count(redis);
        await(() -> isCounted(server, 3));
        network.cut();
        await(() -> second.isDone() && third.isDone());
        assertThat(isCounted(server, 3)).isTrue();
        for (CompletableFuture<byte[]> lost : Arrays.asList(second, third)) {
            assertThatThrownBy(lost::join)
                    .satisfies(failure ->
                            assertThat(RedisErrors.isNotDone(failure)).isFalse());
        }
        await(() -> works(redis));
        assertThat(isCounted(server, 4)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(DisconnectedBehavior.class)
    void isNotRepeatedOnTheNextConnection(DisconnectedBehavior behavior) {
        onOneServer(behavior, LostReplyTests::isDoneOnce);
    }

    @Test
    void isNotRepeatedForAUserWithoutPermissionToPing() {
        onOneServer(DisconnectedBehavior.REJECT_COMMANDS, (redis, server, network) -> {
            server.ask(
                    commands -> commands.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.PING)));
            isDoneOnce(redis, server, network);
        });
    }

    @Test
    void isNotRepeatedInACluster() {
        try (RedisCluster cluster = RedisCluster.ofMasters()) {
            RedisServer server = cluster.masters().get(RedisCluster.masterOf(KEY));
            Map<Integer, LosingNetwork> networks = cluster.masters().stream()
                    .map(RedisServer::port)
                    .collect(Collectors.toMap(Function.identity(), LosingNetwork::new));
            ClientResources mapped = resources
                    .mutate()
                    .socketAddressResolver(MappingSocketAddressResolver.create(
                            DnsResolver.unresolved(),
                            node -> HostAndPort.of(
                                    RedisServer.HOST,
                                    networks.get(node.getPort()).port())))
                    .build();
            try (RedisClusterClient client =
                    RedisClusterClient.create(mapped, RedisURI.create(RedisServer.HOST, server.port()))) {
                // a node of a new cluster may not know all slots yet
                await(() -> {
                    client.refreshPartitions();
                    return client.getPartitions().getPartitionBySlot(SlotHash.getSlot(KEY)) != null;
                });
                isDoneOnce(
                        new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)), server, networks.get(server.port()));
            }
            networks.values().forEach(LosingNetwork::close);
        }
    }

    @Test
    void returnsNoPermitTwice() {
        onOneServer(DisconnectedBehavior.REJECT_COMMANDS, (redis, server, network) -> {
            StorageStatistics statistics = new StorageStatistics();
            Rule rule = Rule.of("api", Limit.tokenBucket(10, Duration.ofHours(1)));
            try (RateLimiters limiters = new RateLimiters(RedisRateLimiterStorage.builder(redis)
                    .timeout(Duration.ofSeconds(10))
                    .statistics(statistics)
                    .build())) {
                assertThat(limiters.tryAcquire(rule, "alice", 5).permitted()).isTrue();
                Decision taken = limiters.tryAcquire(rule, "alice", 5);
                String key = "limiter:{api:alice}";
                byte[] before = server.ask(commands -> commands.dump(key));
                network.withhold();
                taken.giveBack();
                await(() -> !Arrays.equals(before, server.ask(commands -> commands.dump(key))));
                network.cut();
                await(() -> statistics.lostReturns() > 0 && works(redis));
                assertThat(limiters.tryAcquire(rule, "alice", 6).permitted()).isFalse();
                assertThat(limiters.tryAcquire(rule, "alice", 5).permitted()).isTrue();
                assertThat(statistics.lostReturns()).isEqualTo(1);
            }
        });
    }

    @Test
    void isDifferentFromACommandThatWaitedForAConnection() {
        onOneServer(DisconnectedBehavior.ACCEPT_COMMANDS, (redis, server, network) -> {
            count(redis).join();
            network.close();
            await(() -> disconnected);
            CompletableFuture<byte[]> second = count(redis);
            redis.close();
            await(second::isDone);
            assertThatThrownBy(second::join)
                    .satisfies(failure ->
                            assertThat(RedisErrors.isNotDone(failure)).isTrue());
            assertThat(isCounted(server, 1)).isTrue();
        });
    }
}
