package dev.limiter.compatibility;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Sends requests to an application over a real port. */
final class Clients {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(Version.HTTP_1_1).build();

    private final int port;
    private final String server;

    Clients(int port) {
        this.port = port;
        this.server = "http://localhost:" + port;
    }

    int port() {
        return port;
    }

    /**
     * The answers to 20 concurrent clients that send 50 requests each, by {@code "key status"}. The clients take turns
     * in using the keys, sent as {@code X-Api-Key}.
     */
    Map<String, Long> storm(String path, String... keys) {
        Map<String, LongAdder> answers = new ConcurrentHashMap<>();
        ExecutorService clients = Executors.newFixedThreadPool(20);
        try {
            List<Future<?>> running = IntStream.range(0, 20)
                    .<Future<?>>mapToObj(client -> clients.submit(() -> {
                        String key = keys[client % keys.length];
                        try (Connection connection = new Connection(port)) {
                            for (int i = 0; i < 50; i++) {
                                answers.computeIfAbsent(
                                                key + " " + connection.get(path, key), answer -> new LongAdder())
                                        .increment();
                            }
                        }
                        return null;
                    }))
                    .toList();
            for (Future<?> client : running) {
                client.get();
            }
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        } finally {
            clients.shutdownNow();
        }
        Map<String, Long> counts = new TreeMap<>();
        answers.forEach((answer, count) -> counts.put(answer, count.sum()));
        return counts;
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, headers);
    }

    HttpResponse<String> send(String method, String path, String... headers) {
        return send(method, path, BodyPublishers.noBody(), headers);
    }

    HttpResponse<String> post(String path, String json, String... headers) {
        String[] all = Stream.concat(Stream.of("Content-Type", "application/json"), Stream.of(headers))
                .toArray(String[]::new);
        return send("POST", path, BodyPublishers.ofString(json), all);
    }

    private HttpResponse<String> send(String method, String path, BodyPublisher body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server + path)).method(method, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(exception);
        }
    }
}
