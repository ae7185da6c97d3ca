package dev.limiter.sample;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** Sends requests to the application over a real port. */
final class Clients {

    private final HttpClient http =
            HttpClient.newBuilder().version(Version.HTTP_1_1).build();
    private final String server;

    Clients(int port) {
        this.server = "http://localhost:" + port;
    }

    /** Answers to 20 concurrent clients that send 50 requests each, by status. */
    Map<Integer, Long> storm(String method, String path, String... headers) {
        Map<Integer, LongAdder> answers = new ConcurrentHashMap<>();
        ExecutorService clients = Executors.newFixedThreadPool(20);
        try {
            List<Future<?>> running = IntStream.range(0, 20)
                    .<Future<?>>mapToObj(client -> clients.submit(() -> IntStream.range(0, 50)
                            .mapToObj(request -> send(method, path, headers).statusCode())
                            .forEach(status -> answers.computeIfAbsent(status, s -> new LongAdder())
                                    .increment())))
                    .toList();
            for (Future<?> client : running) {
                client.get();
            }
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        } finally {
            clients.shutdownNow();
        }
        Map<Integer, Long> counts = new TreeMap<>();
        answers.forEach((status, count) -> counts.put(status, count.sum()));
        return counts;
    }

    HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, headers);
    }

    HttpResponse<String> post(String path, String... headers) {
        return send("POST", path, headers);
    }

    HttpResponse<String> upload(String path, int bytes) {
        return send(
                "POST", path, BodyPublishers.ofByteArray(new byte[bytes]), "Content-Type", "application/octet-stream");
    }

    CompletableFuture<HttpResponse<String>> getAsync(String path) {
        return CompletableFuture.supplyAsync(() -> get(path));
    }

    CompletableFuture<HttpResponse<String>> postAsync(String path) {
        return CompletableFuture.supplyAsync(() -> post(path));
    }

    private HttpResponse<String> send(String method, String path, String... headers) {
        return send(method, path, BodyPublishers.noBody(), headers);
    }

    private HttpResponse<String> send(String method, String path, BodyPublisher body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server + path)).method(method, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(exception);
        }
    }
}
