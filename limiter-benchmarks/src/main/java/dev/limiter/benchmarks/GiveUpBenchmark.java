package dev.limiter.benchmarks;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Prints how long it takes to cancel thousands of waiting futures in the order of their arrival, and how long an
 * unrelated key that has to wait, too, is kept from its queue meanwhile. {@code java -cp benchmarks.jar
 * dev.limiter.benchmarks.GiveUpBenchmark [futures]}, 16,000 by default.
 */
public final class GiveUpBenchmark {

    private static final Duration LONG = Duration.ofDays(30);
    private static final int ROUNDS = 5;

    private final RateLimiters limiters = RateLimiters.builder().build();
    private final Rule rule = Rule.of(
            "rule", Limit.leakyBucket(1, Duration.ofSeconds(1)).burst(1_000_000).paced());
    private final int waiting;

    private GiveUpBenchmark(int waiting) {
        this.waiting = waiting;
    }

    public static void main(String[] args) throws InterruptedException {
        int waiting = args.length == 0 ? 16_000 : Integer.parseInt(args[0]);
        System.out.println("| futures | cancelled in | of it on a processor | unrelated key: median | p99 | max |");
        System.out.println("| ---: | ---: | ---: | ---: | ---: | ---: |");
        for (int round = 0; round < ROUNDS; round++) {
            new GiveUpBenchmark(waiting).run();
        }
        System.exit(0);
    }

    private void run() throws InterruptedException {
        limiters.tryAcquire(rule, "busy");
        limiters.tryAcquire(rule, "unrelated");
        List<CompletableFuture<Decision>> futures = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            futures.add(limiters.acquireAsync(rule, "busy", LONG));
        }
        AtomicBoolean over = new AtomicBoolean();
        List<Long> delays = new ArrayList<>();
        Thread unrelated = new Thread(() -> {
            while (!over.get()) {
                delays.add(unrelated());
            }
        });
        unrelated.start();
        long cpu = cpu();
        long start = System.nanoTime();
        futures.forEach(future -> future.cancel(false));
        long took = System.nanoTime() - start;
        cpu = cpu() - cpu;
        over.set(true);
        unrelated.join();
        print(took, cpu, delays.stream().mapToLong(Long::longValue).toArray());
        limiters.close();
    }

    /** Other processes may have the processor meanwhile. */
    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** How long it takes to be in the queue. */
    private long unrelated() {
        long start = System.nanoTime();
        CompletableFuture<Decision> future = limiters.acquireAsync(rule, "unrelated", LONG);
        long took = System.nanoTime() - start;
        future.cancel(false);
        return took;
    }

    private void print(long took, long cpu, long[] delays) {
        Arrays.sort(delays);
        System.out.printf(
                "| %,d | %,.1f ms | %,.1f ms | %,.3f ms | %,.3f ms | %,.3f ms |%n",
                waiting,
                took / 1e6,
                cpu / 1e6,
                delays[delays.length / 2] / 1e6,
                delays[(int) (delays.length * 0.99)] / 1e6,
                delays[delays.length - 1] / 1e6);
    }
}
