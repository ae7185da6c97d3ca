package dev.limiter.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/** A client with one keep-alive connection and little CPU use. */
public final class Connection implements Closeable {

    private final Socket socket;
    private final InputStream in;

    public Connection(int port) throws IOException {
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        this.socket.setTcpNoDelay(true);
        this.socket.setSoTimeout(60_000);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** Sends a request and returns the status. A response without {@code Content-Length} ends the connection. */
    public int get(String path, String apiKey) throws IOException {
        if (socket.isClosed()) {
            throw new IOException("Closed, or after a response without Content-Length");
        }
        String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: " + apiKey + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(ISO_8859_1));
        int status = Integer.parseInt(line().split(" ")[1]);
        int length = -1;
        for (String field = line(); !field.isEmpty(); field = line()) {
            if (field.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(field.substring(15).strip());
            }
        }
        if (length < 0) {
            close();
        } else {
            in.skipNBytes(length);
        }
        return status;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            line.append((char) c);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
