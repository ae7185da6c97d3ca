package dev.limiter.benchmarks.web;

import com.sun.management.ThreadMXBean;
import dev.limiter.benchmarks.harness.JavaProcess;
import dev.limiter.benchmarks.harness.Measurement;
import dev.limiter.spring.web.RateLimitInterceptor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the cost of observing a request in {@link InterceptorBenchmark} by the CPU time and allocations of its
 * thread. That works on busy machines, where wall-clock time does not.
 *
 * <p>Two processes, with and without observers, alternate in batches. Prints for each launch the first quartile of
 * the batches of both, and the median ratio of neighbouring batches; for {@code Tables observing}.
 */
public final class ObservingCpu {

    private static final int BATCH = 20_000;
    private static final int WARM_UP = 40;

    private ObservingCpu() {}

    /** The cost of a request in one batch. */
    private record Cost(double nanos, double bytes) {

        static Cost parse(String line) {
            String[] numbers = line.split(" ");
            return new Cost(Double.parseDouble(numbers[1]), Double.parseDouble(numbers[2]));
        }
    }

    /**
     * @param args {@code permitted} or {@code rejected}; the profiles without and with observers; the number of
     * batches
     */
    public static void main(String[] args) throws Exception {
        if (args.length == 2) {
            serve(Variant.of(args[1]), args[0]);
        } else {
            launch(args[0], Variant.of(args[1]), Variant.of(args[2]), Integer.parseInt(args[3]));
        }
    }

    private static void launch(String outcome, Variant less, Variant more, int batches) throws IOException {
        try (Requests without = new Requests(less, outcome);
                Requests observed = new Requests(more, outcome)) {
            List<Cost> off = new ArrayList<>();
            List<Cost> on = new ArrayList<>();
            List<Double> ratios = new ArrayList<>();
            for (int i = -WARM_UP; i < batches; i++) {
                Cost one = without.batch();
                Cost other = observed.batch();
                if (i >= 0) {
                    off.add(one);
                    on.add(other);
                    ratios.add(other.nanos() / one.nanos());
                }
            }
            new Measurement("observing", outcome, "without", nanos(off, 0.25)).print();
            new Measurement(
                            "observing",
                            outcome,
                            "allocated",
                            Math.rint(off.get(batches - 1).bytes()))
                    .print();
            new Measurement("observing", outcome, "observed", nanos(on, 0.25)).print();
            new Measurement(
                            "observing",
                            outcome,
                            "allocated, observed",
                            Math.rint(on.get(batches - 1).bytes()))
                    .print();
            new Measurement("observing", outcome, "ratio", quantile(ratios, 0.5)).print();
        }
    }

    private static double nanos(List<Cost> costs, double quantile) {
        return quantile(costs.stream().map(Cost::nanos).toList(), quantile);
    }

    private static double quantile(List<Double> values, double quantile) {
        double[] sorted = values.stream().mapToDouble(value -> value).sorted().toArray();
        return sorted[(int) (quantile * (sorted.length - 1))];
    }

    /** Runs a batch for each line of input and prints its cost, until the input ends. */
    private static void serve(Variant variant, String outcome) throws Exception {
        PrintStream answers = System.out;
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int check = 0;
        try (MockedEdge edge =
                new MockedEdge(variant, outcome.equals("rejected"), RateLimitInterceptor.class::isInstance)) {
            while (questions.readLine() != null) {
                long bytes = threads.getCurrentThreadAllocatedBytes();
                long nanos = threads.getCurrentThreadCpuTime();
                for (int i = 0; i < BATCH; i++) {
                    check += edge.preHandle();
                }
                nanos = threads.getCurrentThreadCpuTime() - nanos;
                bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
                answers.println("batch " + (double) nanos / BATCH + " " + (double) bytes / BATCH + " " + check);
            }
        }
    }

    /** An application in a child process, which ends with this one. */
    private static final class Requests implements AutoCloseable {

        private final Process process;
        private final BufferedReader answers;

        Requests(Variant variant, String outcome) throws IOException {
            process = JavaProcess.of(ObservingCpu.class, outcome, variant.profile())
                    .jvmOptions(List.of("-Xms512m", "-Xmx512m", "-Xmn256m", "-XX:+AlwaysPreTouch"))
                    .start();
            answers = process.inputReader(StandardCharsets.UTF_8);
        }

        Cost batch() throws IOException {
            process.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith("batch ")) {
                    return Cost.parse(line);
                }
            }
            throw new IOException("A process has ended");
        }

        @Override
        public void close() {
            process.destroy();
        }
    }
}
