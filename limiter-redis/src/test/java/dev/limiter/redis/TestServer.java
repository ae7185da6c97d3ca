package dev.limiter.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import redis.embedded.RedisServer;

/**
 * A Redis server on loopback that lives as long as the JVM. Which one says the system property {@code
 * limiter.redis.server}: {@code embedded} (the default, an old one that comes as a dependency), or {@code system} (the
 * {@code redis-server} on the path, or the embedded one if there is none).
 */
final class TestServer {

    private static final TestServer SHARED = new TestServer();

    private final int port = freePort();
    private final RedisClient client;
    private final StatefulRedisConnection<byte[], byte[]> connection;

    private TestServer() {
        Runnable stop = start(port);
        client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        connection = client.connect(ByteArrayCodec.INSTANCE);
        Runtime.getRuntime().addShutdownHook(new Thread(stop));
    }

    static TestServer shared() {
        return SHARED;
    }

    /** The {@code redis-server} of this machine. */
    static Optional<Path> system() {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Runnable start(int port) {
        try {
            Optional<Path> system =
                    "system".equals(System.getProperty("limiter.redis.server")) ? system() : Optional.empty();
            return system.isPresent() ? startSystem(system.get(), port) : startEmbedded(port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Runnable startSystem(Path program, int port) throws IOException {
        List<String> command = List.of(
                program.toString(), "--port", "" + port, "--bind", "127.0.0.1", "--save", "", "--daemonize", "no");
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        awaitPort(port);
        return process::destroyForcibly;
    }

    private static void awaitPort(int port) {
        for (int attempt = 0; ; attempt++) {
            try (var socket = new java.net.Socket("127.0.0.1", port)) {
                return;
            } catch (IOException e) {
                if (attempt == 500) {
                    throw new UncheckedIOException(e);
                }
                java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
            }
        }
    }

    private static Runnable startEmbedded(int port) throws IOException {
        RedisServer server = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        server.start();
        return () -> {
            try {
                server.stop();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    StatefulRedisConnection<byte[], byte[]> connection() {
        return connection;
    }

    /** The server over a connection that all tests share. */
    Redis redis() {
        return new LettuceRedis(connection) {
            @Override
            public void close() {}
        };
    }
}
