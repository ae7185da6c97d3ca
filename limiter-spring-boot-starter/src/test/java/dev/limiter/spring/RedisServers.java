package dev.limiter.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import redis.embedded.RedisServer;
import redis.embedded.core.RedisServerBuilder;

/** Redis servers on loopback. */
public final class RedisServers {

    private static final int PORT = freePort();
    private static boolean started;

    private RedisServers() {}

    /** The port of a server that all tests share, and that lives as long as the JVM. */
    public static synchronized int shared() {
        if (!started) {
            RedisServer server = start(PORT);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
            started = true;
        }
        return PORT;
    }

    /** {@code settings}: further lines of its configuration. */
    public static RedisServer start(int port, String... settings) {
        try {
            RedisServerBuilder builder =
                    RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"");
            for (String setting : settings) {
                builder.setting(setting);
            }
            RedisServer server = builder.build();
            server.start();
            return server;
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    public static void stop(RedisServer server) {
        try {
            server.stop();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    /** Where nobody listens. */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }
}
