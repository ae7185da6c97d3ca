package dev.limiter.spring.chaos;

import dev.limiter.spring.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import redis.embedded.core.ExecutableProvider;

/** A Redis server to be killed, stopped and started again on the same port: that of the system, or an embedded one. */
final class RedisProcess implements AutoCloseable {

    private final int port = RedisServers.freePort();
    private Process process;

    /** Starts it empty, and waits until it listens. */
    void start() {
        try {
            process = new ProcessBuilder(
                            program(),
                            "--port",
                            "" + port,
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--loglevel",
                            "warning")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        for (int attempt = 0; !listens(); attempt++) {
            if (attempt == 1000) {
                throw new IllegalStateException("No server on port " + port);
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static String program() throws IOException {
        for (String folder : System.getenv("PATH").split(":")) {
            Path program = Path.of(folder, "redis-server");
            if (Files.isExecutable(program)) {
                return program.toString();
            }
        }
        return ExecutableProvider.newJarResourceProvider().get().getAbsolutePath();
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 200);
            return true;
        } catch (IOException exception) {
            return false;
        }
    }

    int port() {
        return port;
    }

    /** As {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
        waitFor(process);
    }

    /** Neither answers nor goes away. */
    void pause() {
        signal("-STOP");
    }

    void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        try {
            waitFor(new ProcessBuilder("kill", signal, "" + process.pid()).start());
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    private static void waitFor(Process process) {
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Still runs: " + Arrays.toString(new Object[] {process.info()}));
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a test asks the server, or does to it. */
    <T> T ask(Function<RedisCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        try (var connection = client.connect()) {
            return question.apply(connection.sync());
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        resume();
        kill();
    }
}
