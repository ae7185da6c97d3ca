package dev.limiter.testkit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of loopback. */
public final class Ports {

    /** Reservations, which end with the JVM. */
    private static final List<DatagramSocket> RESERVED = new ArrayList<>();

    private Ports() {}

    /**
     * A port that no server listens on, reserved: no JVM on this machine gets it from here again. Its range is below the
     * one from which systems take ports for outgoing connections: such a connection could take the port of a server that
     * starts later, or again.
     */
    public static int free() {
        return free(0);
    }

    /** A port of which the one that is higher by {@code distance}, up to 30,000, is free and reserved as well. */
    static synchronized int free(int distance) {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 30_000);
            if (reserve(port) && (distance == 0 || reserve(port + distance))) {
                return port;
            }
        }
    }

    /** Another JVM may be about to start a server there: the datagrams of a port, which no server here uses, are the lock. */
    private static boolean reserve(int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket free = new ServerSocket(port, 1, loopback)) {
            return RESERVED.add(new DatagramSocket(free.getLocalPort(), loopback));
        } catch (IOException taken) {
            return false;
        }
    }
}
