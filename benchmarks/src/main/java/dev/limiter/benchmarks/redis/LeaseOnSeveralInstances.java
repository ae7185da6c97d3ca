package dev.limiter.benchmarks.redis;

import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.redis.LettuceRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Counts the permits that four JVMs with 8 threads each and a lease of 5 % take of one hot key. Compares them with
 * the limit for that time: a full bucket and its refill.
 *
 * <p>{@code java -cp benchmarks.jar dev.limiter.benchmarks.redis.LeaseOnSeveralInstances [seconds]}
 */
public final class LeaseOnSeveralInstances {

    private static final int JVMS = 4;
    private static final int THREADS = 8;
    private static final int BINS_PER_SECOND = 100;

    private LeaseOnSeveralInstances() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 4) {
            instance(
                    Integer.parseInt(arguments[0]),
                    rule(Long.parseLong(arguments[1]), Duration.parse(arguments[2])),
                    Integer.parseInt(arguments[3]));
            return;
        }
        int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10;
        try (LocalRedis server = LocalRedis.start()) {
            System.out.println(
                    "| limit | decisions per second | granted | allowed at most | share | most in a second |");
            System.out.println("| --- | ---: | ---: | ---: | ---: | ---: |");
            compare(server, 100_000, Duration.ofSeconds(1), seconds);
            compare(server, 10_000_000, Duration.ofSeconds(1), seconds);
            compare(server, 1_000_000, Duration.ofDays(1), seconds);
        }
    }

    private static Rule rule(long limit, Duration window) {
        return Rule.of("hot-" + limit, Limit.tokenBucket(limit, window));
    }

    private static void compare(LocalRedis server, long limit, Duration window, int seconds) throws IOException {
        List<Process> processes = new ArrayList<>();
        try {
            List<BufferedReader> outputs = new ArrayList<>();
            for (int i = 0; i < JVMS; i++) {
                Process process = start(server.port(), limit, window, seconds);
                processes.add(process);
                outputs.add(
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
            }
            for (BufferedReader output : outputs) {
                output.readLine();
            }
            long began = server.timeMicros();
            // all use the same clock from the same moment
            byte[] start = (System.currentTimeMillis() + "\n").getBytes(StandardCharsets.US_ASCII);
            for (Process process : processes) {
                process.getOutputStream().write(start);
                process.getOutputStream().flush();
            }
            long[][] counts = new long[JVMS][];
            for (int i = 0; i < JVMS; i++) {
                counts[i] = Arrays.stream(outputs.get(i).readLine().split(","))
                        .mapToLong(Long::parseLong)
                        .toArray();
            }
            print(limit, window, seconds, counts, server.timeMicros() - began);
        } finally {
            processes.forEach(Process::destroy);
        }
    }

    private static Process start(int port, long limit, Duration window, int seconds) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LeaseOnSeveralInstances.class.getName(),
                        "" + port,
                        "" + limit,
                        window.toString(),
                        "" + seconds)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The output of each JVM: first its number of decisions, then the permits of each hundredth of a second. */
    private static void print(long limit, Duration window, int seconds, long[][] counts, long micros) {
        long asked = Arrays.stream(counts).mapToLong(one -> one[0]).sum();
        int bins = counts[0].length - 1;
        long[] granted = IntStream.range(0, bins)
                .mapToLong(bin ->
                        Arrays.stream(counts).mapToLong(one -> one[bin + 1]).sum())
                .toArray();
        long total = LongStream.of(granted).sum();
        double allowed = limit + (double) limit * micros / (window.toNanos() / 1000);
        long most = IntStream.range(0, Math.max(bins - BINS_PER_SECOND, 1))
                .mapToLong(from -> Arrays.stream(granted, from, Math.min(from + BINS_PER_SECOND, bins))
                        .sum())
                .max()
                .orElse(0);
        System.out.printf(
                "| %,d per %s | %,d | %,d | %,.0f | %.2f %% | %,d |%n",
                limit, window, asked / seconds, total, allowed, 100 * total / allowed, most);
        if (total > allowed) {
            throw new IllegalStateException("More permits were granted than the limit allows");
        }
    }

    private static void instance(int port, Rule rule, int seconds) throws IOException, InterruptedException {
        RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        try (RateLimiters limiters =
                Contenders.limiters(new LettuceRedis(client.connect(ByteArrayCodec.INSTANCE)), 5)) {
            limiters.peek(rule, "hot");
            System.out.println("ready");
            long began = Long.parseLong(
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII)).readLine());
            List<Asking> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Asking thread = new Asking(limiters, rule, began, seconds);
                thread.start();
                threads.add(thread);
            }
            long[] counts = new long[1 + BINS_PER_SECOND * (seconds + 1)];
            for (Asking thread : threads) {
                thread.join();
                Arrays.setAll(counts, i -> counts[i] + thread.counts[i]);
            }
            System.out.println(String.join(
                    ",", LongStream.of(counts).mapToObj(Long::toString).toList()));
        }
        client.shutdown();
    }

    private static final class Asking extends Thread {

        private final RateLimiters limiters;
        private final Rule rule;
        private final long began;
        private final int seconds;
        private final long[] counts;

        Asking(RateLimiters limiters, Rule rule, long began, int seconds) {
            this.limiters = limiters;
            this.rule = rule;
            this.began = began;
            this.seconds = seconds;
            this.counts = new long[1 + BINS_PER_SECOND * (seconds + 1)];
        }

        @Override
        public void run() {
            while (true) {
                boolean permitted = limiters.tryAcquire(rule, "hot").permitted();
                long passed = System.currentTimeMillis() - began;
                counts[0]++;
                if (permitted) {
                    counts[1 + (int) Math.min(passed * BINS_PER_SECOND / 1000, counts.length - 2)]++;
                }
                if (passed >= seconds * 1000L) {
                    return;
                }
            }
        }
    }
}
