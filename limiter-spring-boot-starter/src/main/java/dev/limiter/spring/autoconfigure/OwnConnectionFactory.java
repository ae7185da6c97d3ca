package dev.limiter.spring.autoconfigure;

import dev.limiter.redis.LettuceRedis;
import dev.limiter.redis.Redis;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Creates native connections of the configured kind. Must not be used by several threads at once. */
final class OwnConnectionFactory extends LettuceConnectionFactory {

    OwnConnectionFactory(RedisConfiguration server, LettuceClientConfiguration client) {
        super(server, client);
        setShareNativeConnection(false);
    }

    /** Connects; blocks until connected or failed. */
    @SuppressWarnings("unchecked") // by the codec
    Redis connect() {
        StatefulConnection<byte[], byte[]> connection = doCreateConnectionProvider(
                        getRequiredNativeClient(), ByteArrayCodec.INSTANCE)
                .getConnection(StatefulConnection.class);
        return connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster
                ? new LettuceRedis(cluster)
                : new LettuceRedis((StatefulRedisConnection<byte[], byte[]>) connection);
    }
}
