package dev.limiter.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.limiter.Decision;
import dev.limiter.Rule;
import dev.limiter.benchmarks.harness.Measurement;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fails if a decision becomes 50 % more expensive, by its ratio to a decision of bucket4j or by the bytes that it
 * allocates. {@code java -cp benchmarks.jar dev.limiter.benchmarks.DecisionGate} takes less than a minute.
 *
 * <p>It works while other processes keep all cores busy: it counts the CPU time of the thread, takes the first
 * quartile of many batches, and waits for the JIT compiler. Each round has its own JVM for every benchmark. The
 * fastest counts, because other processes can only add time.
 */
public final class DecisionGate {

    /** 1.5 times the values measured on three machines (at most 0.99, 0.64, 1.18, 1.27, 2.80, 2.05). */
    private static final List<Bound> BOUNDS = List.of(
            new Bound("limiterTokenBucket", 1.5, 44),
            new Bound("limiterTokenBucketOnlyWhether", 0.95, 1),
            new Bound("limiterFixedWindow", 1.8, 44),
            new Bound("limiterSlidingWindowCounter", 1.9, 44),
            new Bound("limiterSlidingWindowLog", 4.2, 90),
            new Bound("limiterTwoLimits", 3.1, 160));

    private static final String BASELINE = "bucket4jInHashMap";
    private static final int ROUNDS = 5;
    private static final int WARM_UP = 40;
    private static final int BATCHES = 80;
    private static final int BATCH = 100_000;

    /** Other code could read the decision here, so its allocation cannot be removed. */
    private static @Nullable Decision decided;

    private DecisionGate() {}

    private record Bound(String method, double ratio, double bytes) {}

    private interface Call {

        long once();
    }

    /** @param args empty, or the method of {@link DecisionBenchmark} that this process measures */
    public static void main(String[] args) throws Exception {
        if (args.length == 1) {
            measure(args[0]);
        } else if (!compare()) {
            System.err.println("A decision has become too expensive");
            System.exit(1);
        }
    }

    private static boolean compare() throws Exception {
        List<List<String>> methods = new ArrayList<>(List.of(List.of(BASELINE)));
        BOUNDS.forEach(bound -> methods.add(List.of(bound.method)));
        Map<String, List<Double>> values = new HashMap<>();
        Program.forkedInTurn(DecisionGate.class, List.of("-Xms1g", "-Xmx1g", "-Xmn256m", "-Xbatch"), methods)
                .measure(
                        ROUNDS,
                        each -> values.computeIfAbsent(each.row() + " " + each.column(), name -> new ArrayList<>())
                                .add(each.value()));
        double peer = Collections.min(values.get(BASELINE + " ns"));
        boolean bounded = true;
        for (Bound bound : BOUNDS) {
            double ratio = Collections.min(values.get(bound.method + " ns")) / peer;
            bounded &= isBounded(bound, ratio, Summary.median(values.get(bound.method + " bytes")));
        }
        return bounded;
    }

    private static boolean isBounded(Bound bound, double ratio, double bytes) {
        boolean bounded = ratio <= bound.ratio && bytes <= bound.bytes;
        System.out.printf(
                Locale.ROOT,
                "%-30s %.2f of bucket4j (at most %.2f), %.0f bytes (at most %.0f)%s%n",
                bound.method,
                ratio,
                bound.ratio,
                bytes,
                bound.bytes,
                bounded ? "" : ": too dear");
        return bounded;
    }

    private static void measure(String method) {
        Call call = call(method);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        List<Double> nanos = new ArrayList<>();
        List<Double> bytes = new ArrayList<>();
        long check = 0;
        for (int batch = -WARM_UP; batch < BATCHES; batch++) {
            long allocated = threads.getCurrentThreadAllocatedBytes();
            long begun = threads.getCurrentThreadCpuTime();
            check += batch(call);
            begun = threads.getCurrentThreadCpuTime() - begun;
            allocated = threads.getCurrentThreadAllocatedBytes() - allocated;
            if (batch >= 0) {
                nanos.add((double) begun / BATCH);
                bytes.add(Math.floor((double) allocated / BATCH));
            }
        }
        if (check == 42) {
            System.err.println("so that the JIT compiler does not take the calls away");
        }
        new Measurement("gate", method, "ns", nanos.stream().sorted().toList().get(BATCHES / 4)).print();
        new Measurement("gate", method, "bytes", Summary.median(bytes)).print();
    }

    private static long batch(Call call) {
        long sum = 0;
        for (int i = 0; i < BATCH; i++) {
            sum += call.once();
        }
        return sum;
    }

    /** Creates one key that is always permitted. */
    private static Call call(String method) {
        DecisionBenchmark benchmark = new DecisionBenchmark();
        Keys keys = new Keys();
        keys.keys = 1;
        keys.draw();
        Keys.Cursor cursor = new Keys.Cursor();
        DecisionBenchmark.Bucket4j peer = new DecisionBenchmark.Bucket4j();
        peer.fill(benchmark, keys);
        DecisionBenchmark.Ours ours = new DecisionBenchmark.Ours();
        ours.fill(benchmark, keys, method);
        Rule rule = ours.rule(method).orElse(ours.tokenBucket);
        return switch (method) {
            case BASELINE -> () -> benchmark.bucket4jInHashMap(peer, keys, cursor);
            case "limiterTokenBucketOnlyWhether" -> () -> ours.limiters.tryTake(rule, cursor.next(keys)) ? 1 : 0;
            default ->
                () -> {
                    Decision decision = ours.limiters.tryAcquire(rule, cursor.next(keys));
                    decided = decision;
                    return decision.permitted() ? decision.remaining() : -1;
                };
        };
    }
}
