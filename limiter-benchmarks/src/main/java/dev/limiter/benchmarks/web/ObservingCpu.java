package dev.limiter.benchmarks.web;

import com.sun.management.ThreadMXBean;
import dev.limiter.spring.web.RateLimitInterceptor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The cost of observing a request in {@link InterceptorBenchmark}, by the CPU time and the allocations of its thread:
 * for machines with other work, where wall-clock time says nothing. Two processes at a time, {@link
 * Variant#LIMITER_IETF} and {@link Variant#LIMITER_IETF_OBSERVED}, take turns in batches. Several launches, because the
 * JIT does not always come to the same result. Prints the quarter and the median of the batches of each launch, and the
 * median of the ratios of neighbouring batches.
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

    /** @param args {@code permitted} or {@code refused}; how many launches (default 5), and batches in each (100) */
    public static void main(String[] args) throws Exception {
        String outcome = args[0];
        if (args.length == 2 && !Character.isDigit(args[1].charAt(0))) {
            serve(Variant.of(args[1]), outcome);
            return;
        }
        int launches = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        int batches = args.length > 2 ? Integer.parseInt(args[2]) : 100;
        System.out.println("            without: 1/4 median bytes   observed: 1/4 median bytes   ratio: 1/4 median");
        List<Double> all = new ArrayList<>();
        for (int i = 0; i < launches; i++) {
            all.addAll(launch(outcome, batches));
        }
        System.out.printf(Locale.ROOT, "median of all ratios %.3f%n", quantile(all, 0.5));
    }

    private static List<Double> launch(String outcome, int batches) throws IOException {
        try (Requests without = new Requests(Variant.LIMITER_IETF, outcome);
                Requests observed = new Requests(Variant.LIMITER_IETF_OBSERVED, outcome)) {
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
            System.out.printf(
                    Locale.ROOT,
                    "%-10s %9.0f %7.0f %5.0f %15.0f %7.0f %5.0f %14.3f %7.3f%n",
                    outcome,
                    nanos(off, 0.25),
                    nanos(off, 0.5),
                    off.get(batches - 1).bytes(),
                    nanos(on, 0.25),
                    nanos(on, 0.5),
                    on.get(batches - 1).bytes(),
                    nanos(on, 0.25) / nanos(off, 0.25),
                    quantile(ratios, 0.5));
            return ratios;
        }
    }

    private static double nanos(List<Cost> costs, double quantile) {
        return quantile(costs.stream().map(Cost::nanos).toList(), quantile);
    }

    private static double quantile(List<Double> values, double quantile) {
        double[] sorted = values.stream().mapToDouble(value -> value).sorted().toArray();
        return sorted[(int) (quantile * (sorted.length - 1))];
    }

    /** Answers each line with what a batch took, until its input ends. */
    private static void serve(Variant variant, String outcome) throws Exception {
        PrintStream answers = System.out;
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int check = 0;
        try (MockedEdge edge =
                new MockedEdge(variant, outcome.equals("refused"), RateLimitInterceptor.class::isInstance)) {
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

    /** An application in a process of its own, which ends with this one. */
    private static final class Requests implements AutoCloseable {

        private final Process process;
        private final BufferedReader answers;

        Requests(Variant variant, String outcome) throws IOException {
            process = new ProcessBuilder(Arrays.asList(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xms256m",
                            "-Xmx256m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ObservingCpu.class.getName(),
                            outcome,
                            variant.profile()))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
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
