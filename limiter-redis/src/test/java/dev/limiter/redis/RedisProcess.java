package dev.limiter.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import redis.embedded.core.ExecutableProvider;

/** A server of a test's own, to be killed, stopped and started again on the same port. */
final class RedisProcess implements AutoCloseable {

    private final int port = TestServer.freePort();
    private final ClientResources resources = DefaultClientResources.builder()
            .reconnectDelay(Delay.constant(Duration.ofMillis(100)))
            .build();
    private final RedisClient client;

    /** Waits for longer: what a test does to the server is not what it measures. */
    private final RedisClient operator;

    private Process process;

    RedisProcess() {
        client = RedisClient.create(resources, RedisURI.create("127.0.0.1", port));
        operator = RedisClient.create(resources, RedisURI.create("127.0.0.1", port));
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofMillis(500))
                        .build())
                .timeoutOptions(TimeoutOptions.enabled(Duration.ofMillis(500)))
                .build());
    }

    static RedisProcess started() {
        RedisProcess server = new RedisProcess();
        server.start();
        return server;
    }

    /** Starts it empty, and waits until it answers. */
    void start() {
        List<String> command = new ArrayList<>(List.of(program(), "--port", "" + port, "--bind", "127.0.0.1"));
        command.addAll(List.of("--save", "", "--daemonize", "no", "--loglevel", "warning"));
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitAnswer(port);
    }

    static void awaitAnswer(int port) {
        for (int attempt = 0; !answers(port); attempt++) {
            if (attempt == 1000) {
                throw new IllegalStateException("No server on port " + port);
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    static String program() {
        try {
            return TestServer.system().isPresent()
                    ? TestServer.system().get().toString()
                    : ExecutableProvider.newJarResourceProvider().get().getAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 200);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() == '+';
        } catch (IOException e) {
            return false;
        }
    }

    /** As {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
        waitForEnd();
    }

    private void waitForEnd() {
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
            new ProcessBuilder("kill", signal, "" + process.pid()).start().waitFor(10, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The server over a connection of its own. */
    Redis redis() {
        return new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE));
    }

    CompletionStage<Redis> connect() {
        return client.connectAsync(ByteArrayCodec.INSTANCE, RedisURI.create("127.0.0.1", port))
                .thenApply(LettuceRedis::new);
    }

    /** For what a test does to the server itself. */
    StatefulRedisConnection<String, String> commands() {
        return operator.connect();
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        resume();
        kill();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        operator.shutdown(0, 1, TimeUnit.SECONDS);
        var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
    }
}
