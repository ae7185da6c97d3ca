package dev.limiter.compatibility;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.function.Function;
import redis.embedded.RedisServer;

/** A Redis server on loopback that can come and go. */
final class TestRedis implements AutoCloseable {

    private final int port = freePort();
    private RedisServer server;

    private TestRedis() {}

    /** One whose server is not there yet. */
    static TestRedis stopped() {
        return new TestRedis();
    }

    static TestRedis started() {
        TestRedis redis = new TestRedis();
        redis.start();
        return redis;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    void start() {
        try {
            server = RedisServer.newRedisServer()
                    .port(port)
                    .bind("127.0.0.1")
                    .setting("save \"\"")
                    .build();
            server.start();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    void stop() {
        try {
            server.stop();
            server = null;
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    /** What an application needs to know. */
    String property() {
        return "spring.data.redis.url=redis://127.0.0.1:" + port;
    }

    <T> T ask(Function<StatefulRedisConnection<String, String>, T> question) {
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return question.apply(connection);
        } finally {
            client.shutdown();
        }
    }

    @Override
    public void close() {
        if (server != null) {
            stop();
        }
    }
}
