package dev.limiter.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
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
     * may be charged there and used by nobody, if its answer came so late that memory had decided.
     */
    @ParameterizedTest
    @MethodSource("starts")
    void permitsTheLimit(int start) throws IOException {
        String algorithm = ALGORITHMS.get(start % ALGORITHMS.size());
        others.forEach(Thread::start);
        Process process = process(algorithm);
        try {
            int port = port(process);
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/today"))
                    .header("X-Api-Key", "start" + start)
                    .build();
            List<CompletableFuture<HttpResponse<Void>>> answers = new ArrayList<>(REQUESTS);
            for (int i = 0; i < REQUESTS; i++) {
                answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.discarding()));
            }
            List<Integer> statuses = new ArrayList<>(
                    answers.stream().map(answer -> answer.join().statusCode()).toList());
            assertThat(statuses).containsOnly(200, 429);
            for (int i = 0; i < LIMIT; i++) {
                statuses.add(client.sendAsync(request, HttpResponse.BodyHandlers.discarding())
                        .join()
                        .statusCode());
            }
            long permitted = statuses.stream().filter(status -> status == 200).count();
            assertThat(permitted).isBetween(LIMIT - 2L, (long) LIMIT);
        } finally {
            process.destroy();
            process.onExit().join();
        }
    }

    private static Process process(String algorithm) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
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
