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

/** A Redis server on loopback, empty at first, to be killed, paused and started again on the same port. */
public final class RedisServer implements AutoCloseable {

    public static final String HOST = "127.0.0.1";

    /** The system property that names the program of the {@link #shared()} server. */
    private static final String PROGRAM = "limiter.redis.server";

    private static final String EMBEDDED = "embedded";

    /** Ends the server when the JVM has gone in any way: its end of the input is closed then. */
    private static final String GUARD = "\"$0\" \"$@\" & server=$!; cat > /dev/null; kill -9 $server";

    /** For answers to what a test asks. */
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
     * A server for all tests of a JVM, which ends with it. The system property {@code limiter.redis.server} selects it:
     * {@code embedded} (the default, an old one that comes as a dependency), or the name of a program on the path, such
     * as {@code redis-server} or {@code valkey-server}.
     *
     * @throws TestAbortedException if there is no such program: then the test is skipped
     */
    public static RedisServer shared() {
        String program = System.getProperty(PROGRAM, EMBEDDED);
        if (!program.equals(EMBEDDED) && RedisProgram.onPath(program).isEmpty()) {
            throw new TestAbortedException("There is no " + program + " on the path");
        }
        return Shared.SERVER;
    }

    /** {@code options}: of the command line; a file of its configuration is the first. */
    public static RedisServer started(String... options) {
        RedisServer server = stopped(options);
        server.start();
        return server;
    }

    /** A server that is not reachable before it is {@linkplain #start() started}. */
    public static RedisServer stopped(String... options) {
        return new RedisServer(RedisProgram.newest(), Ports.free(), options);
    }

    /** A started server with a port that was chosen before. */
    static RedisServer started(int port, String... options) {
        RedisServer server = new RedisServer(RedisProgram.newest(), port, options);
        server.start();
        return server;
    }

    /** Whether the machine has a server of its own, which is newer than the embedded one. */
    public static boolean isInstalled() {
        return RedisProgram.onPath("redis-server").isPresent();
    }

    /** Starts it, empty, and waits until it answers. */
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
        Conditions.await(() -> !isRunning() || answers());
        if (!isRunning()) {
            throw new IllegalStateException("It ended: " + command);
        }
    }

    /** Also with a password, which is asked for in an error. */
    private boolean answers() {
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

    /** The property that an application needs. */
    public String property() {
        return "spring.data.redis.url=redis://" + HOST + ":" + port;
    }

    /** As {@code kill -9}; does nothing if it is not there. */
    public void kill() {
        if (process != null) {
            process.destroyForcibly();
            waitFor(process);
            process = null;
        }
    }

    /** Has it neither answer nor go away. */
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

    /** Asks the server something, or does something to it, over a connection of its own. */
    public <T> T ask(Function<RedisCommands<String, String>, T> question) {
        try (StatefulRedisConnection<String, String> connection = connect()) {
            return question.apply(connection.sync());
        }
    }

    /** A connection that waits for half a minute, for the caller to close. */
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
