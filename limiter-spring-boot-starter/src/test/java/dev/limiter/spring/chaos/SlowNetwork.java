package dev.limiter.spring.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Forwards the bytes of its port, either way, after a delay; later bytes do not delay earlier ones. */
final class SlowNetwork implements AutoCloseable {

    private final ServerSocket server;
    private final int target;
    private final ScheduledExecutorService wire = Executors.newSingleThreadScheduledExecutor();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile long delayMillis;
    private volatile boolean cut;

    /** {@code target}: a port on loopback. */
    SlowNetwork(int target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** How much longer an answer takes from now on, half of it on each way. */
    void addLatency(long millis) {
        delayMillis = millis / 2;
    }

    /** Closes all connections, and each that is made from now on. */
    void cut() {
        cut = true;
        sockets.forEach(SlowNetwork::close);
    }

    void mend() {
        cut = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                if (cut) {
                    close(client);
                    continue;
                }
                Socket redis = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                redis.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(redis);
                daemon(() -> pump(client, redis));
                daemon(() -> pump(redis, client));
            }
        } catch (IOException closed) {
            close();
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[65_536];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                byte[] chunk = Arrays.copyOf(buffer, read);
                var unused = wire.schedule(() -> write(chunk, out), delayMillis, TimeUnit.MILLISECONDS);
            }
        } catch (IOException | RuntimeException gone) {
            close(from);
        }
        close(to);
    }

    private static void write(byte[] chunk, OutputStream out) {
        try {
            out.write(chunk);
        } catch (IOException gone) {
            // whoever reads there notices
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException closed) {
            // is what was wanted
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "slow-network");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        wire.shutdownNow();
        sockets.forEach(SlowNetwork::close);
        try {
            server.close();
        } catch (IOException closed) {
            // is what was wanted
        }
    }
}
