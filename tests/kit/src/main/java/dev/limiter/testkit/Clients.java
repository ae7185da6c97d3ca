package dev.limiter.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Sends requests to an application over TCP. */
public final class Clients {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(Version.HTTP_1_1).build();

    private static final int CLIENTS = 20;
    private static final int REQUESTS = 20;

    private final int port;
    private final String server;

    public Clients(int port) {
        this.port = port;
        this.server = "http://localhost:" + port;
    }

    public int port() {
        return port;
    }

    /**
     * Sends 20 requests from each of 20 concurrent clients, and returns the number of responses by {@code "key
     * status"}. The keys are distributed evenly, and sent as {@code X-Api-Key}.
     */
    public Map<String, Long> storm(String path, String... keys) {
        return storm((client, responses) -> {
            String key = keys[client % keys.length];
            try (Connection connection = new Connection(port)) {
                for (int i = 0; i < REQUESTS; i++) {
                    responses.accept(key + " " + connection.get(path, key));
                }
            }
        });
    }

    /** Like {@link #storm}, for any request, without keys. Returns the number of responses by status. */
    public Map<Integer, Long> stormOf(String method, String path, String... headers) {
        return storm((client, responses) -> {
            for (int i = 0; i < REQUESTS; i++) {
                responses.accept(send(method, path, headers).statusCode());
            }
        });
    }

    /** A client that sends requests, and classifies each response. */
    private interface Client<T> {

        void send(int client, Consumer<T> responses) throws IOException;
    }

    private static <T extends Comparable<T>> Map<T, Long> storm(Client<T> each) {
        Map<T, Long> responses = new TreeMap<>();
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<List<T>>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                running.add(clients.submit(() -> {
                    List<T> own = new ArrayList<>();
                    each.send(client, own::add);
                    return own;
                }));
            }
            for (Future<List<T>> client : running) {
                client.get().forEach(response -> responses.merge(response, 1L, Long::sum));
            }
        } catch (InterruptedException | ExecutionException exception) {
            throw new IllegalStateException(exception);
        } finally {
            clients.shutdownNow();
        }
        return responses;
    }

    public HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, headers);
    }

    /** Sends a GET request, and does not wait for its response. */
    public CompletableFuture<HttpResponse<String>> begin(String path, String... headers) {
        return HTTP.sendAsync(request("GET", path, BodyPublishers.noBody(), headers), BodyHandlers.ofString());
    }

    public HttpResponse<String> send(String method, String path, String... headers) {
        return send(method, path, BodyPublishers.noBody(), headers);
    }

    public HttpResponse<String> post(String path, String json, String... headers) {
        String[] all = Stream.concat(Stream.of("Content-Type", "application/json"), Stream.of(headers))
                .toArray(String[]::new);
        return sendBody("POST", path, json, all);
    }

    /** Sends a body without a content type, unless a header sets it. */
    public HttpResponse<String> sendBody(String method, String path, String body, String... headers) {
        return send(method, path, BodyPublishers.ofString(body), headers);
    }

    /** Streams the response body; closing it ends the connection. */
    public HttpResponse<InputStream> stream(String method, String path, String... headers) {
        return send(method, path, BodyPublishers.noBody(), BodyHandlers.ofInputStream(), headers);
    }

    private HttpResponse<String> send(String method, String path, BodyPublisher body, String... headers) {
        return send(method, path, body, BodyHandlers.ofString(), headers);
    }

    private <T> HttpResponse<T> send(
            String method, String path, BodyPublisher body, BodyHandler<T> response, String... headers) {
        try {
            return HTTP.send(request(method, path, body, headers), response);
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        } catch (InterruptedException exception) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(exception);
        }
    }

    private HttpRequest request(String method, String path, BodyPublisher body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server + path)).method(method, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }
}
