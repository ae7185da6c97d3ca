package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process starts while others keep the CPUs busy, and gets many requests at once as soon as it listens. */
@Tag("long")
class StartUnderLoadTests {

    private static final int LIMIT = 100;
    private static final int REQUESTS = 400;

    /** The maximum time until a returned permit is available. */
    private static final Duration RETURNED = Duration.ofSeconds(60);

    /** All requests are sent at once, to a new process with little CPU time. */
    private static final Duration ANSWERED = Duration.ofSeconds(60);

    private static final List<String> ALGORITHMS =
            List.of("fixed-window", "leaky-bucket", "sliding-window-log", "sliding-window-counter", "token-bucket");

    /** The interval between requests of a paced rule. */
    private static final Duration PACE = Duration.ofMillis(20);

    private static final int HELD = 5;

    /** Returns the share of one of two instances, which memory grants if a reply of Redis is late. */
    private static int share(int limit) {
        return limit / 2;
    }

    private static final RedisServer redis = RedisServer.stopped();
    private final List<Thread> others = IntStream.range(0, Runtime.getRuntime().availableProcessors())
            .mapToObj(i -> new Thread(StartUnderLoadTests::spin))
            .toList();

    private static void spin() {
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    @BeforeAll
    static void start() {
        redis.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @AfterEach
    void calm() {
        others.forEach(Thread::interrupt);
    }

    /** One start by default; {@code limiter.starts} sets another number. */
    static IntStream starts() {
        return IntStream.range(0, Integer.getInteger("limiter.starts", 1));
    }

    /**
     * Redis permits the limit, and memory at most its share if replies are late. A late grant counts for a request that
     * memory has permitted; others are returned and go to later requests.
     */
    @ParameterizedTest
    @MethodSource("starts")
    void permitsTheLimit(int start) throws IOException {
        String algorithm = ALGORITHMS.get(start % ALGORITHMS.size());
        others.forEach(Thread::start);
        try (InstanceProcess process = process("limit=" + LIMIT, "window=100d", "algorithm=" + algorithm)) {
            Client client = new Client(process.port(), "/today", "start" + start);
            List<CompletableFuture<Integer>> answers =
                    IntStream.range(0, REQUESTS).mapToObj(i -> client.ask()).toList();
            List<Integer> statuses =
                    answers.stream().map(CompletableFuture::join).toList();
            calm();
            assertThat(statuses).containsOnly(200, 429);
            AtomicInteger permitted = new AtomicInteger(Collections.frequency(statuses, 200));
            assertThat(permitted).hasValueLessThanOrEqualTo(LIMIT + share(LIMIT));
            Conditions.isMetWithin(
                    RETURNED,
                    () -> permitted.get() >= LIMIT
                            || client.ask().join() == 200 && permitted.incrementAndGet() == LIMIT);
            long more = Stream.generate(client::ask)
                    .limit(LIMIT)
                    .map(CompletableFuture::join)
                    .filter(status -> status == 200)
                    .count();
            assertThat(permitted.get() + more).isBetween((long) LIMIT, (long) LIMIT + share(LIMIT));
        }
    }

    /**
     * Requests proceed at the pace in Redis, or at half the rate in memory if replies are late. The length of a single
     * gap depends on thread scheduling, and the number of used turns on how many replies arrive in time.
     */
    @ParameterizedTest
    @MethodSource("starts")
    void keepsThePace(int start) throws IOException {
        others.forEach(Thread::start);
        try (InstanceProcess process = process(
                "limit=" + Duration.ofSeconds(1).dividedBy(PACE),
                "window=1s",
                "algorithm=leaky-bucket",
                "max-wait=6s")) {
            Client client = new Client(process.port(), "/today", "paced" + start);
            long sent = System.nanoTime();
            List<CompletableFuture<Long>> answers = IntStream.range(0, REQUESTS)
                    .mapToObj(i -> client.ask().thenApply(status -> status == 200 ? System.nanoTime() - sent : -1))
                    .toList();
            List<Long> departures = answers.stream()
                    .map(CompletableFuture::join)
                    .filter(nanos -> nanos >= 0)
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
            calm();
            Conditions.isMetWithin(RETURNED, () -> {
                if (client.ask().join() == 200) {
                    departures.add(System.nanoTime() - sent);
                }
                return departures.size() > LIMIT;
            });
            assertThat(departures).hasSizeGreaterThan(LIMIT);
            for (int i = 0; i < departures.size(); i++) {
                assertThat(Duration.ofNanos(departures.get(i)))
                        .as("departure %s of %s", i, departures.size())
                        .isGreaterThanOrEqualTo(PACE.multipliedBy(2)
                                .multipliedBy(Math.max(i - 1, 0))
                                .dividedBy(3));
            }
        }
    }

    /** The handler takes as long as many of the other requests take to arrive. */
    @ParameterizedTest
    @MethodSource("starts")
    void holdsTheLimit(int start) throws IOException {
        others.forEach(Thread::start);
        try (InstanceProcess process = process("limit=" + HELD, "algorithm=concurrency")) {
            Client client = new Client(process.port(), "/held", "held" + start);
            List<CompletableFuture<Integer>> answers =
                    IntStream.range(0, REQUESTS).mapToObj(i -> client.ask()).toList();
            List<Integer> statuses =
                    answers.stream().map(CompletableFuture::join).toList();
            calm();
            assertThat(statuses).containsOnly(200, 429);
            assertThat(client.mostInFlight()).isBetween(1, HELD + share(HELD));
            // permits of lost requests become free again
            await(() -> client.ask().join() == 200);
        }
    }

    private static InstanceProcess process(String... rule) throws IOException {
        return new InstanceProcess(
                StartUnderLoadTests.class,
                List.of(),
                Stream.concat(Stream.of("" + redis.port()), Stream.of(rule)).toList());
    }

    private record Client(HttpClient http, HttpRequest request) {

        Client(int port, String path, String key) {
            this(
                    HttpClient.newHttpClient(),
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .header("X-Api-Key", key)
                            .timeout(ANSWERED)
                            .build());
        }

        CompletableFuture<Integer> ask() {
            return http.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                    .thenApply(HttpResponse::statusCode);
        }

        int mostInFlight() {
            HttpRequest most =
                    HttpRequest.newBuilder(request.uri().resolve("/most")).build();
            return http.sendAsync(most, HttpResponse.BodyHandlers.ofString())
                    .thenApply(answer -> Integer.parseInt(answer.body()))
                    .join();
        }
    }

    public static void main(String... arguments) throws IOException {
        Stream<String> rule = Stream.concat(
                Stream.of("paths=/today,/held", "key=header:X-Api-Key"),
                Stream.of(arguments).skip(1));
        try (Instance instance = new Instance(Stream.concat(
                Stream.of("spring.data.redis.port=" + arguments[0]),
                rule.map(property -> "limiter.rules.today." + property)))) {
            InstanceProcess.serve(instance.port());
        }
    }
}
