package dev.limiter.redis;

import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;

/** The server that all tests share, over one connection. */
final class SharedRedis {

    private SharedRedis() {}

    private static final class Shared {

        static final StatefulRedisConnection<byte[], byte[]> CONNECTION = RedisClient.create(
                        RedisURI.create(RedisServer.HOST, RedisServer.shared().port()))
                .connect(ByteArrayCodec.INSTANCE);
    }

    private static StatefulRedisConnection<byte[], byte[]> connection() {
        RedisServer.shared(); // skips the test if there is no server
        return Shared.CONNECTION;
    }

    /** Returns commands for direct access to the server. */
    static RedisCommands<byte[], byte[]> commands() {
        return connection().sync();
    }

    static Redis redis() {
        return new LettuceRedis(connection()) {
            @Override
            public void close() {}
        };
    }
}
