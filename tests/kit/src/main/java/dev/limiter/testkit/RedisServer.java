package dev.limiter.testkit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** A Redis server on loopback. Starts empty, and can be killed, paused and restarted on the same port. */
public final class RedisServer implements AutoCloseable {

    public static final String HOST = "127.0.0.1";

    /** The system property with the program of the {@link #shared()} server. */
    private static final String PROGRAM = "limiter.redis.server";

    private static final String EMBEDDED = "embedded";

    /** Kills the server when the JVM is gone for any reason, which closes the standard input. */
    private static final String GUARD = "\"$0\" \"$@\" & server=$!; cat > /dev/null; kill -9 $server";

    /** For commands of tests. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String program;
    private final List<String> options;
    private final int port;
    private @Nullable RedisClient client;
    private @Nullable Process process;

    private RedisServer(String program, int port, String... options) {
        this.program = program;
        this.port = port;
        this.options = List.of(options);
    }

    private static final class Shared {

        static final RedisServer SERVER = start(System.getProperty(PROGRAM, EMBEDDED));

        private static RedisServer start(String program) {
            RedisServer server = new RedisServer(
                    program.equals(EMBEDDED)
                            ? RedisProgram.embedded()
                            : RedisProgram.onPath(program).orElseThrow(),
                    Ports.free());
            server.start("sh", "-c", GUARD);
            return server;
        }
    }

    /**
     * Returns the server that all tests of a JVM share. The system property {@code limiter.redis.server} selects the
     * program: {@code embedded} (the default, an old version from a test dependency), or a program on the path, such as
     * {@code redis-server} or {@code valkey-server}.
     *
     * @throws TestAbortedException if the program is missing, so that the test is skipped
     */
    public static RedisServer shared() {
        String program = System.getProperty(PROGRAM, EMBEDDED);
        if (!program.equals(EMBEDDED) && RedisProgram.onPath(program).isEmpty()) {
            throw new TestAbortedException(program + " is not on the path");
        }
        return Shared.SERVER;
    }

    /** @param options command line options; the first may be a configuration file */
    public static RedisServer started(String... options) {
        RedisServer server = stopped(options);
        server.start();
        return server;
    }

    /** Returns a server that is down until it is {@linkplain #start() started}. */
    public static RedisServer stopped(String... options) {
        return new RedisServer(RedisProgram.newest(), Ports.free(), options);
    }

    /** Starts a server on a given port. */
    static RedisServer started(int port, String... options) {
        RedisServer server = new RedisServer(RedisProgram.newest(), port, options);
        server.start();
        return server;
    }

    /** Returns whether a server newer than the embedded one is installed. */
    public static boolean isInstalled() {
        return RedisProgram.onPath("redis-server").isPresent();
    }

    /** Starts the empty server, and waits until it replies. */
    public void start() {
        start(new String[0]);
    }

    private void start(String... guard) {
        List<String> command = new ArrayList<>(List.of(guard));
        command.add(program);
        command.addAll(options);
        command.addAll(List.of("--port", "" + port, "--bind", HOST, "--save", "", "--loglevel", "warning"));
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        Conditions.await(() -> !isRunning() || replies());
        if (!isRunning()) {
            throw new IllegalStateException("The server exited: " + command);
        }
    }

    /** A password error also counts as a reply. */
    private boolean replies() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(HOST, port), 200);
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() >= 0;
        } catch (IOException exception) {
            return false;
        }
    }

    boolean isRunning() {
        return process != null && process.isAlive();
    }

    public int port() {
        return port;
    }

    /** Returns the property with which an application connects. */
    public String property() {
        return "spring.data.redis.url=redis://" + HOST + ":" + port;
    }

    /** Kills the server with {@code kill -9}; does nothing if it is not running. */
    public void kill() {
        if (process != null) {
            process.destroyForcibly();
            waitFor(process);
            process = null;
        }
    }

    /** Suspends the process, so that it stays connected but does not reply. */
    public void pause() {
        signal("-STOP");
    }

    public void resume() {
        signal("-CONT");
    }

    private void signal(String signal) {
        if (process != null) {
            try {
                waitFor(new ProcessBuilder("kill", signal, "" + process.pid()).start());
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }
    }

    private static void waitFor(Process process) {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Still runs: " + process.info());
            }
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs commands over a separate connection. */
    public <T> T ask(Function<RedisCommands<String, String>, T> question) {
        try (StatefulRedisConnection<String, String> connection = connect()) {
            return question.apply(connection.sync());
        }
    }

    /** Opens a connection with a timeout of 30 seconds. The caller must close it. */
    public StatefulRedisConnection<String, String> connect() {
        return client().connect();
    }

    synchronized RedisClient client() {
        if (client == null) {
            client = RedisClient.create(uri());
        }
        return client;
    }

    private RedisURI uri() {
        RedisURI.Builder uri = RedisURI.builder().withHost(HOST).withPort(port).withTimeout(PATIENCE);
        int password = options.indexOf("--requirepass") + 1;
        if (password > 0) {
            uri.withPassword(options.get(password).toCharArray());
        }
        return uri.build();
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
        resume();
        kill();
    }
}
