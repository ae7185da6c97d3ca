package dev.limiter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Forwards its port to a server on the loopback interface, and can lose replies together with the connections. */
final class LosingNetwork implements AutoCloseable {

    private final ServerSocket socket;
    private final int target;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private volatile boolean withholding;

    LosingNetwork(int target) {
        this.target = target;
        try {
            this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        run(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Withholds replies from now on. */
    void withhold() {
        withholding = true;
    }

    /** Closes all connections without delivering withheld replies; new connections are accepted. */
    void cut() {
        Set<Socket> cut = Set.copyOf(connections);
        connections.removeAll(cut);
        cut.forEach(LosingNetwork::close);
        withholding = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                connections.add(client);
                connections.add(server);
                run(() -> carry(client, server, false));
                run(() -> carry(server, client, true));
            }
        } catch (IOException closed) {
            close();
        }
    }

    private void carry(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[1 << 16];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!answers || !withholding) {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException closed) {
            // closed by either side
        }
        close(from);
        close(to);
    }

    private static void run(Runnable runs) {
        Thread thread = new Thread(runs, "losing-network");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket connection) {
        try {
            connection.close();
        } catch (IOException closed) {
            // closed by the other side
        }
    }

    @Override
    public void close() {
        connections.forEach(LosingNetwork::close);
        try {
            socket.close();
        } catch (IOException closed) {
            // already closed
        }
    }
}
