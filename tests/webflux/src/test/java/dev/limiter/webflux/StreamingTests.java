package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.RateLimitTemplate;
import dev.limiter.spring.decide.PermitHolders;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.Connection;
import dev.limiter.testkit.RawClient;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Sinks;

/** Requests that wait, stream and are aborted, on a server with one event loop. */
@org.junit.jupiter.api.Timeout(120)
class StreamingTests {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Applications applications = new Applications();
    private static Clients clients;
    private static RawClient raw;
    private static Streams streams;
    private static PermitHolders holders;
    private static RateLimitTemplate limits;

    @BeforeAll
    static void start() {
        ConfigurableApplicationContext context = applications.start(Streams.class, """
                limiter.rules:
                  queue: {paths: ["/queue"], key: global, limit: 1, algorithm: concurrency, max-wait: 100s, max-waiting: 1000}
                  turns: {paths: ["/turns"], key: global, limit: 1, window: 10s, max-wait: 1h}
                  events: {paths: ["/events"], key: global, limit: 2000, algorithm: concurrency}
                  annotated-events: {key: global, scope: rule, limit: 2000, algorithm: concurrency}
                  socket: {paths: ["/socket/**"], key: global, limit: 1, algorithm: concurrency}
                  limited: {paths: ["/limited"], key: ip, limit: 1, window: 1h}
                  early: {paths: ["/early", "/filtered/early"], phase: request, key: ip, scope: endpoint, limit: 1, window: 1h}
                  annotated: {key: ip, limit: 1, window: 1h}
                  plain: {key: ip, limit: 1, window: 1h}
                  broken: {paths: ["/broken"], key: "#{#request.getHeader('none').length()}", limit: 1000, window: 1h}
                """);
        clients = Applications.clients(context);
        raw = new RawClient(clients.port());
        streams = context.getBean(Streams.class);
        holders = context.getBean(PermitHolders.class);
        limits = context.getBean(RateLimitTemplate.class);
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    @BeforeEach
    void fresh() {
        streams.end = Sinks.empty();
        streams.handled.set(0);
        assertThat(Conditions.isMetWithin(Duration.ofSeconds(20), () -> streams.arrived.get() == streams.ended.get()))
                .as("%s arrived, %s ended", streams.arrived, streams.ended)
                .isTrue();
        streams.arrived.set(0);
        streams.ended.set(0);
    }

    @Test
    void waitingRequestsHoldNoThread() {
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(HTTP.sendAsync(
                    HttpRequest.newBuilder(uri("http", "/queue"))
                            .version(HttpClient.Version.HTTP_1_1)
                            .build(),
                    HttpResponse.BodyHandlers.ofString()));
        }
        Conditions.await(() -> streams.arrived.get() == 100);
        assertThat(clients.get("/free").statusCode()).isEqualTo(200);
        assertThat(streams.handled).hasValue(1);
        assertThat(holders.permits("queue")).isOne();
        streams.end.tryEmitEmpty();
        for (CompletableFuture<HttpResponse<String>> response : waiting) {
            assertThat(response.join().statusCode()).isEqualTo(200);
        }
        assertThat(streams.handled).hasValue(100);
        Conditions.await(() -> holders.permits("queue") == 0);
    }

    @Test
    void clientThatHangsUpWhileItWaitsTakesNothing() throws IOException {
        CompletableFuture<HttpResponse<String>> first = HTTP.sendAsync(
                HttpRequest.newBuilder(uri("http", "/queue")).build(), HttpResponse.BodyHandlers.ofString());
        Conditions.await(() -> streams.handled.get() == 1);
        for (int i = 0; i < 20; i++) {
            abort(arrived(raw.begin("/queue"), 2 + i), i % 2 == 0);
        }
        Conditions.await(() -> streams.ended.get() == 20);
        streams.end.tryEmitEmpty();
        assertThat(first.join().statusCode()).isEqualTo(200);
        Conditions.await(() -> holders.permits("queue") == 0);
        assertThat(streams.handled).hasValue(1);
        assertThat(limits.peek("queue", "").remaining()).isOne();
    }

    @Test
    void turnOfAClientThatHangsUpIsFree() throws IOException {
        streams.end.tryEmitEmpty();
        assertThat(clients.get("/turns").statusCode()).isEqualTo(200);
        Socket waiting = raw.begin("/turns");
        Conditions.await(() -> streams.arrived.get() == 2);
        abort(waiting, true);
        Conditions.await(() -> streams.ended.get() == 2);
        Conditions.await(
                () -> limits.peek("turns", "").retryAfter().orElseThrow().compareTo(Duration.ofSeconds(10)) <= 0);
        assertThat(streams.handled).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({"/events, events, 300, 3", "/annotated-events, annotated-events, 100, 1"})
    void abortedStreamsLeaveNoPermitBehind(String path, String rule, int connections, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            abortStreams(path, rule, connections);
        }
    }

    private static void abortStreams(String path, String rule, int connections) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            sockets.add(raw.begin(path));
        }
        Conditions.await(() -> holders.permits(rule) == connections);
        assertThat(limits.peek(rule, "").remaining()).isEqualTo(2000 - connections);
        for (int i = 0; i < connections; i++) {
            if (i % 3 == 0) {
                sockets.get(i).getInputStream().readNBytes(10);
            }
            abort(sockets.get(i), i % 2 == 0);
        }
        Conditions.await(() -> holders.permits(rule) == 0);
        assertThat(limits.peek(rule, "").remaining()).isEqualTo(2000);
    }

    @Test
    void callOfAResponseUnderWayIsSettledAtTheEnd() {
        for (int i = 0; i < 3; i++) {
            int requests = i + 1;
            assertThat(clients.get("/late").body()).contains("begun", "called");
            Conditions.await(() -> streams.ended.get() == requests);
        }
    }

    /** Waits until this many requests have arrived: a socket that is reset earlier may never be seen, or arrive later. */
    private static Socket arrived(Socket socket, int requests) {
        Conditions.await(() -> streams.arrived.get() == requests);
        return socket;
    }

    /** By a reset, or in an orderly way. */
    private static void abort(Socket socket, boolean reset) throws IOException {
        if (reset) {
            socket.setSoLinger(true, 0);
        }
        socket.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void webSocketSessionHoldsItsPermitUntilItEnds(boolean aborted) {
        Received received = new Received();
        WebSocket session = open("/socket", received).join();
        session.sendText("hello", true).join();
        assertThat(received.text.join()).isEqualTo("hello");
        assertThat(holders.permits("socket")).isOne();
        assertThatThrownBy(() -> open("/socket", new Received()).join())
                .hasCauseInstanceOf(WebSocketHandshakeException.class)
                .cause()
                .extracting(failure ->
                        ((WebSocketHandshakeException) failure).getResponse().statusCode())
                .isEqualTo(503);
        assertThat(holders.permits("socket")).isOne();
        if (aborted) {
            session.abort();
        } else {
            session.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        }
        Conditions.await(() -> holders.permits("socket") == 0);
        assertThat(limits.peek("socket", "").remaining()).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/socket/throwing", "/socket/failing"})
    void failedSessionLeavesNoPermitBehind(String path) {
        for (int i = 0; i < 3; i++) {
            Received received = new Received();
            open(path, received).join();
            Conditions.await(received.closed::isDone);
            Conditions.await(() -> holders.permits("socket") == 0);
        }
        assertThat(limits.peek("socket", "").remaining()).isOne();
    }

    @Test
    void failedHandshakeLeavesNoPermitBehind() throws IOException {
        assertThat(clients.get("/socket").statusCode()).isEqualTo(400);
        // the client has the response a moment before the permit is free
        Conditions.await(() -> holders.permits("socket") == 0);
        assertThat(raw.send("GET", "/socket", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
                        .status())
                .isEqualTo(400);
        Conditions.await(() -> holders.permits("socket") == 0);
        raw.send("GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 3\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        int requests = streams.arrived.get();
        for (int i = 1; i <= 20; i++) {
            Socket socket = raw.begin(
                    "/socket",
                    "Connection: Upgrade",
                    "Upgrade: websocket",
                    "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
            abort(arrived(socket, requests + i), true);
        }
        Conditions.await(() -> streams.arrived.get() == streams.ended.get() && holders.permits("socket") == 0);
        assertThat(limits.peek("socket", "").remaining()).isOne();
    }

    @ParameterizedTest
    @CsvSource({
        "/limited, 429",
        "/early, 429",
        "/annotated, 429",
        "/plain, 429",
        "/filtered, 202",
        "/filtered/early, 429",
        "/broken, 500"
    })
    void nextRequestOfTheConnectionIsServed(String path, int expected) throws IOException {
        try (Connection connection = new Connection(clients.port())) {
            connection.get(path, "any");
            for (int i = 0; i < 50; i++) {
                assertThat(connection.get(path, "any")).isEqualTo(expected);
                assertThat(connection.get("/free", "any")).isEqualTo(200);
            }
        }
    }

    private static CompletableFuture<WebSocket> open(String path, Received received) {
        return HTTP.newWebSocketBuilder().buildAsync(uri("ws", path), received);
    }

    private static URI uri(String scheme, String path) {
        return URI.create(scheme + "://localhost:" + clients.port() + path);
    }

    private static final class Received implements WebSocket.Listener {

        final CompletableFuture<String> text = new CompletableFuture<>();
        final CompletableFuture<Boolean> closed = new CompletableFuture<>();

        @Override
        public CompletionStage<?> onText(WebSocket session, CharSequence data, boolean last) {
            text.complete(data.toString());
            return WebSocket.Listener.super.onText(session, data, last);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket session, int status, String reason) {
            closed.complete(true);
            return WebSocket.Listener.super.onClose(session, status, reason);
        }

        @Override
        public void onError(WebSocket session, Throwable failure) {
            closed.complete(false);
        }
    }
}
