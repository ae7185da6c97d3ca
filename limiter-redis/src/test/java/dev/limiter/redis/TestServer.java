package dev.limiter.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.opentest4j.TestAbortedException;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis server on loopback that lives as long as the JVM. Which one says the system property {@code
 * limiter.redis.server}: {@code embedded} (the default, an old one that comes as a dependency), or the name of a program on
 * the path, such as {@code redis-server} or {@code valkey-server}; where there is none, all tests that want it are skipped.
 */
final class TestServer {

    private static final String EMBEDDED = "embedded";
    private static final String WANTED = System.getProperty("limiter.redis.server", EMBEDDED);

    /** Ends the server when the JVM has gone, however it went: then nobody holds the other end of the input. */
    private static final String GUARD = "\"$0\" \"$@\" & server=$!; cat > /dev/null; kill -9 $server";

    private final int port = freePort();
    private final StatefulRedisConnection<byte[], byte[]> connection;

    private TestServer() {
        start(program().toString(), port);
        connection = RedisClient.create(RedisURI.create("127.0.0.1", port)).connect(ByteArrayCodec.INSTANCE);
    }

    private static final class Shared {

        static final TestServer SERVER = new TestServer();
    }

    static TestServer shared() {
        if (!WANTED.equals(EMBEDDED) && onPath(WANTED).isEmpty()) {
            throw new TestAbortedException("There is no " + WANTED + " on the path");
        }
        return Shared.SERVER;
    }

    /** The {@code redis-server} of this machine. */
    static Optional<Path> system() {
        return onPath("redis-server");
    }

    private static Optional<Path> onPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static Path program() {
        try {
            return WANTED.equals(EMBEDDED)
                    ? ExecutableProvider.newJarResourceProvider().get().toPath()
                    : onPath(WANTED).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void start(String program, int port) {
        try {
            new ProcessBuilder("sh", "-c", GUARD, program, "--port", "" + port, "--bind", "127.0.0.1", "--save", "")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            awaitPort(port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitPort(int port) throws IOException {
        for (int attempt = 0; ; attempt++) {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                return;
            } catch (IOException e) {
                if (attempt == 1000) {
                    throw e;
                }
                LockSupport.parkNanos(10_000_000);
            }
        }
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
