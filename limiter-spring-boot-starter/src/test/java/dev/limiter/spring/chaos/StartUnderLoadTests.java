package dev.limiter.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Conditions;
import dev.limiter.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process starts while others keep the processors busy, and is asked by many at once as soon as it listens. */
@Tag("long")
class StartUnderLoadTests {

    private static final int LIMIT = 100;
    private static final int REQUESTS = 400;

    /** The longest time after which a request gets a permit that was returned. */
    private static final Duration RETURNED = Duration.ofSeconds(60);

    /** All requests are sent at once, to a process that has just started and has few processors. */
    private static final Duration ANSWERED = Duration.ofSeconds(60);

    private static final List<String> ALGORITHMS =
            List.of("fixed-window", "sliding-window-log", "sliding-window-counter", "token-bucket");

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

    /** One; {@code limiter.starts} says how many else. */
    static IntStream starts() {
        return IntStream.range(0, Integer.getInteger("limiter.starts", 1));
    }

    /**
     * Also what was permitted in memory is of the limit, since it is charged in Redis before that is asked again. A permit
     * whose answer came so late that memory had decided is returned, and some later request gets it.
     */
    @ParameterizedTest
    @MethodSource("starts")
    void permitsTheLimit(int start) throws IOException {
        String algorithm = ALGORITHMS.get(start % ALGORITHMS.size());
        others.forEach(Thread::start);
        try (InstanceProcess process =
                new InstanceProcess(StartUnderLoadTests.class, List.of(), List.of(algorithm, "" + redis.port()))) {
            Client client = new Client(process.port(), "start" + start);
            List<CompletableFuture<Integer>> answers =
                    IntStream.range(0, REQUESTS).mapToObj(i -> client.ask()).toList();
            List<Integer> statuses =
                    answers.stream().map(CompletableFuture::join).toList();
            calm();
            assertThat(statuses).containsOnly(200, 429);
            AtomicInteger permitted = new AtomicInteger(Collections.frequency(statuses, 200));
            assertThat(permitted).hasValueLessThanOrEqualTo(LIMIT);
            Conditions.isMetWithin(
                    RETURNED,
                    () -> permitted.get() == LIMIT
                            || client.ask().join() == 200 && permitted.incrementAndGet() == LIMIT);
            assertThat(permitted).hasValue(LIMIT);
            assertThat(Stream.generate(client::ask).limit(LIMIT).map(CompletableFuture::join))
                    .containsOnly(429);
        }
    }

    private record Client(HttpClient http, HttpRequest request) {

        Client(int port, String key) {
            this(
                    HttpClient.newHttpClient(),
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/today"))
                            .header("X-Api-Key", key)
                            .timeout(ANSWERED)
                            .build());
        }

        CompletableFuture<Integer> ask() {
            return http.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                    .thenApply(HttpResponse::statusCode);
        }
    }

    public static void main(String... arguments) throws IOException {
        Stream<String> rule = Stream.of(
                "paths=/today", "key=header:X-Api-Key", "limit=" + LIMIT, "window=100d", "algorithm=" + arguments[0]);
        try (Instance instance = new Instance(Stream.concat(
                Stream.of("spring.data.redis.port=" + arguments[1]),
                rule.map(property -> "limiter.rules.today." + property)))) {
            InstanceProcess.serve(instance.port());
        }
    }
}
