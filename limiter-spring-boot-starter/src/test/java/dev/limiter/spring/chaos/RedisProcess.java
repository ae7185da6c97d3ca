package dev.limiter.spring.chaos;

import dev.limiter.spring.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import redis.embedded.core.ExecutableProvider;

/** A Redis server to be killed, stopped and started again on the same port: that of the system, or an embedded one. */
final class RedisProcess implements AutoCloseable {

    static final String HOST = "127.0.0.1";

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final int port;
    private final List<String> options;
    private final RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private Process process;

    RedisProcess() {
        this(RedisServers.freePort());
    }

    /** {@code options}: of the command line; a file of its configuration is the first. */
    RedisProcess(int port, String... options) {
        this.port = port;
        this.options = List.of(options);
        this.client = RedisClient.create(RedisURI.builder()
                .withHost(HOST)
                .withPort(port)
                .withTimeout(PATIENCE)
                .build());
    }

    /** Starts it empty, and waits until it listens. */
    void start() {
        try {
            List<String> command = new ArrayList<>(List.of(program()));
            command.addAll(options);
            command.addAll(List.of("--port", "" + port, "--bind", HOST, "--save", "", "--loglevel", "warning"));
            process = new ProcessBuilder(command)
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
            socket.connect(new InetSocketAddress(HOST, port), 200);
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
        if (connection == null) {
            connection = client.connect();
        }
        return question.apply(connection.sync());
    }

    @Override
    public void close() {
        client.shutdown(0, 1, TimeUnit.SECONDS);
        if (process != null) {
            resume();
            kill();
        }
    }
}
