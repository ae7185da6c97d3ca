package dev.limiter.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of loopback. */
public final class Ports {

    private Ports() {}

    /**
     * A port that no server listens on. Its range is below the one from which systems take ports for outgoing
     * connections: such a connection could take the port of a server that starts later, or again.
     */
    public static int free() {
        return free(0);
    }

    /** A port of which the one that is higher by {@code distance}, up to 30,000, is free as well. */
    static int free(int distance) {
        int port;
        do {
            port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
        } while (!isFree(port) || !isFree(port + distance));
        return port;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
