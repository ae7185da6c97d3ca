package dev.limiter.benchmarks;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.benchmarks.harness.Measurement;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Measures how long it takes to cancel thousands of waiting futures in the order of arrival, and how long this
 * delays an unrelated key that also queues; for {@code Tables give-up}. The arguments are the number of rounds,
 * and the number of futures (16,000).
 */
public final class GiveUpBenchmark {

    private static final Duration LONG = Duration.ofDays(30);

    private final RateLimiters limiters = RateLimiters.builder().build();
    private final Rule rule = Rule.of(
            "rule", Limit.leakyBucket(1, Duration.ofSeconds(1)).burst(1_000_000).paced());
    private final int waiting;

    private GiveUpBenchmark(int waiting) {
        this.waiting = waiting;
    }

    public static void main(String[] args) throws InterruptedException {
        int rounds = Integer.parseInt(args[0]);
        int waiting = args.length == 1 ? 16_000 : Integer.parseInt(args[1]);
        // the first is not compiled yet
        for (int round = -1; round < rounds; round++) {
            new GiveUpBenchmark(waiting).run(round >= 0);
        }
        System.exit(0);
    }

    private void run(boolean print) throws InterruptedException {
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
        if (print) {
            print(took, cpu, delays.stream().mapToLong(Long::longValue).toArray());
        }
        limiters.close();
    }

    /** CPU time, because other processes may use the processor. */
    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    /** Measures how long it takes to enter the queue. */
    private long unrelated() {
        long start = System.nanoTime();
        CompletableFuture<Decision> future = limiters.acquireAsync(rule, "unrelated", LONG);
        long took = System.nanoTime() - start;
        future.cancel(false);
        return took;
    }

    private void print(long took, long cpu, long[] delays) {
        Arrays.sort(delays);
        print("cancelled in", took);
        print("CPU time", cpu);
        print("unrelated key: median", delays[delays.length / 2]);
        print("p99", delays[(int) (delays.length * 0.99)]);
        print("max", delays[delays.length - 1]);
    }

    private void print(String column, long nanos) {
        new Measurement("give-up", String.format(Locale.ROOT, "%,d futures", waiting), column, nanos / 1e6).print();
    }
}
