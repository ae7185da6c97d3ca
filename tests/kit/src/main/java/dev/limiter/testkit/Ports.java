package dev.limiter.testkit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Reserves free ports on loopback. */
public final class Ports {

    /** Held until the JVM exits. */
    private static final List<DatagramSocket> RESERVED = new ArrayList<>();

    private Ports() {}

    /**
     * Reserves a free port across all JVMs on this machine. The range is below that of ephemeral ports, because an
     * outgoing connection could otherwise take the port of a server that starts later or restarts.
     */
    public static int free() {
        return free(0);
    }

    /** Reserves a free port together with the one {@code distance} above it, up to 30,000. */
    static synchronized int free(int distance) {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            if (reserve(port) && (distance == 0 || reserve(port + distance))) {
                return port;
            }
        }
    }

    /** Uses the UDP port as a lock against other JVMs; servers in tests use only TCP. */
    private static boolean reserve(int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket free = new ServerSocket(port, 1, loopback)) {
            return RESERVED.add(new DatagramSocket(free.getLocalPort(), loopback));
        } catch (IOException taken) {
            return false;
        }
    }
}
