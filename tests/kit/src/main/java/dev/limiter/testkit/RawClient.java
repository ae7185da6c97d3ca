package dev.limiter.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Sends malformed requests. Each char is one byte. */
public final class RawClient {

    private static final int PATIENCE_MILLIS = 60_000;

    private final int port;

    public RawClient(int port) {
        this.port = port;
    }

    /** A response, possibly incomplete; the status is 0 if there was none. */
    public record Answer(int status, List<String> fields, String body) {

        public String field(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ":";
            return fields.stream()
                    .filter(field -> field.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(field -> field.substring(start.length()).strip())
                    .findFirst()
                    .orElse("");
        }
    }

    /** Sends a request with {@code Host} and only the given fields. */
    public Answer send(String method, String target, String... fields) throws IOException {
        List<String> lines = new ArrayList<>(List.of(method + " " + target + " HTTP/1.1", "Host: localhost"));
        lines.addAll(List.of(fields));
        lines.add("Connection: close");
        return send(String.join("\r\n", lines) + "\r\n\r\n");
    }

    /** Sends bytes. The server must close the connection after its response. */
    public Answer send(String request) throws IOException {
        return send(request, false);
    }

    /** Sends bytes, and closes the output. */
    public Answer sendAndShutDown(String request) throws IOException {
        return send(request, true);
    }

    private Answer send(String request, boolean shutDown) throws IOException {
        try (Socket socket = connect()) {
            try {
                socket.getOutputStream().write(request.getBytes(ISO_8859_1));
                if (shutDown) {
                    socket.shutdownOutput();
                }
            } catch (IOException rejected) {
                // the server may respond before it has read everything
            }
            return parse(all(socket.getInputStream()));
        }
    }

    /** Reads a response until the server closes the connection. */
    public static Answer answerOf(Socket socket) throws IOException {
        return parse(all(socket.getInputStream()));
    }

    /** Sends a GET request with {@code Host} and these fields, without reading the response. */
    public Socket begin(String target, String... fields) throws IOException {
        List<String> lines = new ArrayList<>(List.of("GET " + target + " HTTP/1.1", "Host: localhost"));
        lines.addAll(List.of(fields));
        Socket socket = connect();
        socket.getOutputStream().write((String.join("\r\n", lines) + "\r\n\r\n").getBytes(ISO_8859_1));
        return socket;
    }

    /** Reads only the status of a response. */
    public static int statusOf(Socket socket) throws IOException {
        String begin = new String(socket.getInputStream().readNBytes("HTTP/1.1 200".length()), ISO_8859_1);
        return Integer.parseInt(begin.substring("HTTP/1.1 ".length()));
    }

    public Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static String all(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] some = new byte[8192];
        try {
            for (int length = in.read(some); length >= 0; length = in.read(some)) {
                all.write(some, 0, length);
            }
        } catch (SocketTimeoutException hangs) {
            throw hangs;
        } catch (IOException reset) {
            // return the bytes before the reset
        }
        return all.toString(ISO_8859_1);
    }

    private static Answer parse(String response) {
        int end = response.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Answer(0, List.of(), response);
        }
        List<String> head = List.of(response.substring(0, end).split("\r\n"));
        int status = Integer.parseInt(head.get(0).split(" ")[1]);
        return new Answer(status, head.subList(1, head.size()), response.substring(end + 4));
    }
}
