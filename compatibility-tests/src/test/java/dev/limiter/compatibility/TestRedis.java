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
    private final String password;
    private RedisServer server;

    /** {@code password}: empty for none. */
    private TestRedis(String password) {
        this.password = password;
    }

    /** One whose server is not there yet. */
    static TestRedis stopped() {
        return new TestRedis("");
    }

    static TestRedis started() {
        return started("");
    }

    static TestRedis started(String password) {
        TestRedis redis = new TestRedis(password);
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
                    .setting("requirepass \"" + password + "\"")
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

    int port() {
        return port;
    }

    /** What an application needs to know. */
    String property() {
        return "spring.data.redis.url=redis://127.0.0.1:" + port;
    }

    <T> T ask(Function<StatefulRedisConnection<String, String>, T> question) {
        return ask(0, question);
    }

    <T> T ask(int database, Function<StatefulRedisConnection<String, String>, T> question) {
        RedisClient client = RedisClient.create(uri(database));
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return question.apply(connection);
        } finally {
            client.shutdown();
        }
    }

    private RedisURI uri(int database) {
        RedisURI.Builder uri =
                RedisURI.builder().withHost("127.0.0.1").withPort(port).withDatabase(database);
        if (!password.isEmpty()) {
            uri.withPassword(password.toCharArray());
        }
        return uri.build();
    }

    @Override
    public void close() {
        if (server != null) {
            stop();
        }
    }
}
