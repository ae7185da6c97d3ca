package dev.limiter.redis;

import static dev.limiter.testkit.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.testkit.ChildJvm;
import dev.limiter.testkit.RealTime;
import dev.limiter.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Four real JVMs on one server grant exactly the limit in all; eight with leases never exceed it in any window. */
@Tag("long")
class SeveralJvmTests {

    private static final int JVMS = 4;
    private static final int LEASING_JVMS = 8;
    private static final int THREADS = 8;
    private static final int REQUESTS = 4000;
    static final Duration SLIDING = Duration.ofSeconds(2);
    static final int SLIDING_LIMIT = 400;

    /**
     * The loop of each JVM: reads a prefix, an algorithm and a lease, prints that it is ready, waits for a line, takes
     * permits, and prints their number.
     */
    public static final class Instance {

        private Instance() {}

        public static void main(String[] arguments) throws IOException {
            RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", Integer.parseInt(arguments[0])));
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String task = input.readLine(); task != null; task = input.readLine()) {
                String[] words = task.split(" ");
                int lease = Integer.parseInt(words[2]);
                try (RedisRateLimiterStorage storage = RedisRateLimiterStorage.builder(
                                new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)))
                        .keyPrefix(words[0])
                        .timeout(Duration.ofSeconds(30))
                        .lease(rule -> lease)
                        .build()) {
                    Rule rule = rule(words[1]);
                    storage.peek(rule, "key");
                    System.out.println("ready");
                    input.readLine();
                    System.out.println(words[1].startsWith("sliding-") ? windows(storage, rule) : ask(storage, rule));
                }
            }
            client.shutdown();
        }

        /** Returns when each permit was granted: before and after its request, by the clock of the machine. */
        private static String windows(RedisRateLimiterStorage storage, Rule rule) {
            StringBuilder times = new StringBuilder();
            long end = System.nanoTime() + 3 * SLIDING.toNanos();
            for (long before = System.nanoTime(); before < end; before = System.nanoTime()) {
                if (storage.decide(rule, "key", 1).permitted()) {
                    times.append(before).append(':').append(System.nanoTime()).append(' ');
                } else {
                    RealTime.pass(Duration.ofNanos(200_000));
                }
            }
            return times.toString();
        }

        private static long ask(RedisRateLimiterStorage storage, Rule rule) {
            AtomicLong granted = new AtomicLong();
            CompletableFuture.allOf(IntStream.range(0, THREADS)
                            .mapToObj(thread -> CompletableFuture.runAsync(
                                    () -> {
                                        for (int i = 0; i < REQUESTS / THREADS; i++) {
                                            if (storage.decide(rule, "key", 1).permitted()) {
                                                granted.incrementAndGet();
                                            }
                                        }
                                    },
                                    task -> new Thread(task).start()))
                            .toArray(CompletableFuture[]::new))
                    .join();
            return granted.get();
        }
    }

    private static final List<Process> PROCESSES = new ArrayList<>();
    private static final List<BufferedReader> OUTPUTS = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        for (int i = 0; i < LEASING_JVMS; i++) {
            Process process = new ProcessBuilder(ChildJvm.command(
                            "-Xmx128m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Instance.class.getName(),
                            "" + RedisServer.shared().port()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            PROCESSES.add(process);
            OUTPUTS.add(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }
    }

    @AfterAll
    static void stop() {
        PROCESSES.forEach(Process::destroyForcibly);
        PROCESSES.clear();
        OUTPUTS.clear();
    }

    private static void send(int jvms, String line) throws IOException {
        for (Process process : PROCESSES.subList(0, jvms)) {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
    }

    private static Rule rule(String algorithm) {
        Duration day = Duration.ofDays(1);
        Limit limit = switch (algorithm) {
            case "token" -> Limit.tokenBucket(1000, day);
            case "leaky" -> Limit.leakyBucket(1000, day);
            case "fixed" -> Limit.fixedWindow(1000, day);
            case "first" -> Limit.fixedWindow(1000, day).alignFirst();
            case "counter" -> Limit.slidingWindowCounter(1000, day);
            case "sliding-log" -> Limit.slidingWindowLog(SLIDING_LIMIT, SLIDING);
            case "sliding-counter" -> Limit.slidingWindowCounter(SLIDING_LIMIT, SLIDING);
            case "log" -> Limit.slidingWindowLog(1000, day);
            case "concurrency" -> Limit.concurrency(1000);
            default -> throw new IllegalArgumentException(algorithm);
        };
        return Rule.of("rule", limit);
    }

    @ParameterizedTest
    @CsvSource({
        "token, 0",
        "leaky, 0",
        "fixed, 0",
        "first, 0",
        "counter, 0",
        "log, 0",
        "concurrency, 0",
        "token, 5",
        "fixed, 5"
    })
    void grantExactlyTheLimitInAll(String algorithm, int lease) throws IOException {
        send(JVMS, "jvms-" + algorithm + lease + ": " + algorithm + " " + lease);
        for (BufferedReader output : OUTPUTS.subList(0, JVMS)) {
            assertThat(output.readLine()).isEqualTo("ready");
        }
        send(JVMS, "go");
        long granted = 0;
        for (BufferedReader output : OUTPUTS.subList(0, JVMS)) {
            granted += Long.parseLong(output.readLine());
        }
        if (lease == 0) {
            assertThat(granted).isEqualTo(1000);
        } else {
            assertThat(granted).isBetween(900L, 1000L);
        }
    }

    /** A counter of ten buckets may permit a tenth more, see docs/reference/algorithms.md. */
    @ParameterizedTest
    @CsvSource({"sliding-log, 20, 8", "sliding-log, 5, 4", "sliding-counter, 20, 8", "sliding-counter, 5, 4"})
    void leasesHoldASlidingLimitOverEveryWindow(String algorithm, int lease, int jvms) {
        List<long[]> permits = new ArrayList<>();
        // on a busy machine some windows grant less than one limit
        await(() -> {
            permits.addAll(permits(algorithm, lease, jvms));
            return permits.size() > SLIDING_LIMIT;
        });
        long most = algorithm.equals("sliding-log") ? SLIDING_LIMIT : SLIDING_LIMIT + SLIDING_LIMIT / 10;
        assertThat(mostWithin(permits, SLIDING.toNanos())).isLessThanOrEqualTo(most);
    }

    /** Returns the permits of all JVMs in some windows. */
    private static List<long[]> permits(String algorithm, int lease, int jvms) {
        List<long[]> permits = new ArrayList<>();
        try {
            send(jvms, "jvms-leases-" + algorithm + lease + ": " + algorithm + " " + lease);
            List<BufferedReader> outputs = OUTPUTS.subList(0, jvms);
            for (BufferedReader output : outputs) {
                assertThat(output.readLine()).isEqualTo("ready");
            }
            send(jvms, "go");
            for (BufferedReader output : outputs) {
                for (String permit : output.readLine().split(" ")) {
                    if (!permit.isEmpty()) {
                        permits.add(Arrays.stream(permit.split(":"))
                                .mapToLong(Long::parseLong)
                                .toArray());
                    }
                }
            }
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
        return permits;
    }

    /** Returns the most permits that were certainly granted within one window: requested and received in it. */
    private static long mostWithin(List<long[]> permits, long window) {
        return permits.stream()
                .mapToLong(first -> permits.stream()
                        .filter(permit -> permit[0] >= first[0] && permit[1] < first[0] + window)
                        .count())
                .max()
                .orElse(0);
    }
}
