package dev.limiter.benchmarks.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** A server on the loopback address that delays each byte by half of a round trip in each direction. */
final class DistantServer implements AutoCloseable {

    private final ServerSocket socket;
    private final int port;
    private final long delayNanos;

    private DistantServer(ServerSocket socket, int port, Duration roundTrip) {
        this.socket = socket;
        this.port = port;
        this.delayNanos = roundTrip.toNanos() / 2;
    }

    static DistantServer of(int port, Duration roundTrip) throws IOException {
        DistantServer distant =
                new DistantServer(new ServerSocket(0, 16, InetAddress.getLoopbackAddress()), port, roundTrip);
        run(distant::accept);
        return distant;
    }

    int port() {
        return socket.getLocalPort();
    }

    private static void run(Runnable runs) {
        Thread thread = new Thread(runs, "network");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                carry(client, server);
                carry(server, client);
            }
        } catch (IOException closed) {
            // by close()
        }
    }

    private record Bytes(byte[] bytes, long due) {}

    private void carry(Socket from, Socket to) throws IOException {
        BlockingQueue<Bytes> underWay = new LinkedBlockingQueue<>();
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        run(() -> {
            byte[] buffer = new byte[1 << 16];
            try {
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    underWay.add(new Bytes(Arrays.copyOf(buffer, read), System.nanoTime() + delayNanos));
                }
            } catch (IOException closed) {
                // by either side
            }
        });
        run(() -> {
            try {
                while (true) {
                    Bytes next = underWay.take();
                    while (next.due - System.nanoTime() > 0) {
                        LockSupport.parkNanos(next.due - System.nanoTime());
                    }
                    out.write(next.bytes);
                }
            } catch (IOException | InterruptedException closed) {
                // by either side
            }
        });
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
