package dev.limiter.redis;

import dev.limiter.testkit.RedisCluster;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A cluster client that soon notices when slots or masters have moved. */
final class ClusterClient implements AutoCloseable {

    private final RedisClusterClient client;

    ClusterClient(RedisCluster cluster) {
        client = RedisClusterClient.create(
                RedisURI.create(RedisServer.HOST, cluster.masters().get(0).port()));
        client.setOptions(ClusterClientOptions.builder()
                .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                        .enableAllAdaptiveRefreshTriggers()
                        .adaptiveRefreshTriggersTimeout(Duration.ofMillis(200))
                        .enablePeriodicRefresh(Duration.ofMillis(500))
                        .build())
                .disconnectedBehavior(ClusterClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .build());
    }

    Redis redis() {
        return new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE));
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
