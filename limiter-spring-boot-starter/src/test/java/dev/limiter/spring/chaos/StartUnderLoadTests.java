package dev.limiter.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
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
    private static final long RETURNED_NANOS = 20_000_000_000L;

    private static final String PORT = "listening on ";
    private static final List<String> ALGORITHMS =
            List.of("fixed-window", "sliding-window-log", "sliding-window-counter", "token-bucket");

    private static final RedisProcess redis = new RedisProcess();
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
        Process process = process(algorithm);
        try {
            Client client = new Client(port(process), "start" + start);
            List<CompletableFuture<Integer>> answers =
                    IntStream.range(0, REQUESTS).mapToObj(i -> client.ask()).toList();
            List<Integer> statuses =
                    answers.stream().map(CompletableFuture::join).toList();
            calm();
            assertThat(statuses).containsOnly(200, 429);
            int permitted = Collections.frequency(statuses, 200);
            assertThat(permitted).isLessThanOrEqualTo(LIMIT);
            long end = System.nanoTime() + RETURNED_NANOS;
            while (permitted < LIMIT && System.nanoTime() < end) {
                permitted += client.ask().join() == 200 ? 1 : 0;
                LockSupport.parkNanos(10_000_000);
            }
            assertThat(permitted).isEqualTo(LIMIT);
            assertThat(Stream.generate(client::ask).limit(LIMIT).map(CompletableFuture::join))
                    .containsOnly(429);
        } finally {
            process.destroy();
            process.onExit().join();
        }
    }

    private record Client(HttpClient http, HttpRequest request) {

        Client(int port, String key) {
            this(
                    HttpClient.newHttpClient(),
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/today"))
                            .header("X-Api-Key", key)
                            .build());
        }

        CompletableFuture<Integer> ask() {
            return http.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                    .thenApply(HttpResponse::statusCode);
        }
    }

    private static Process process(String algorithm) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                StartUnderLoadTests.class.getName(),
                algorithm,
                "" + redis.port());
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static int port(Process process) {
        return process.inputReader()
                .lines()
                .filter(line -> line.startsWith(PORT))
                .findFirst()
                .map(line -> Integer.parseInt(line.substring(PORT.length())))
                .orElseThrow(() -> new IllegalStateException("It did not start"));
    }

    public static void main(String... arguments) throws IOException {
        Stream<String> rule = Stream.of(
                "paths=/today", "key=header:X-Api-Key", "limit=" + LIMIT, "window=100d", "algorithm=" + arguments[0]);
        try (Instance instance = new Instance(Stream.concat(
                Stream.of("spring.data.redis.port=" + arguments[1]),
                rule.map(property -> "limiter.rules.today." + property)))) {
            System.out.println(PORT + instance.port());
            // ends with the test at the latest, which holds the other end
            while (System.in.read() >= 0) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }
}
