package dev.limiter.benchmarks;

import dev.limiter.benchmarks.harness.Measurement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * JMH benchmarks for one column of a table. Each round has one short fork of each, so the spread includes
 * differences between JIT compilations.
 *
 * @param labels the row of each benchmark method, in the order of rows
 * @param bytes the column for allocated bytes, or empty
 * @param perUnit the divisor for nanoseconds
 */
record JmhRound(
        Class<?> benchmark,
        Map<String, String> labels,
        String table,
        String nanos,
        String bytes,
        double perUnit,
        List<String> jvmOptions,
        Map<String, String> parameters,
        int threads)
        implements Source {

    /** The time and the allocated bytes of one call. */
    private record Cost(double nanos, double bytes) {}

    @Override
    public void measure(int rounds, Consumer<Measurement> into) throws RunnerException {
        for (int round = 0; round < rounds; round++) {
            Map<String, Cost> costs = run();
            labels.forEach((method, row) -> {
                Cost cost = costs.get(method);
                if (cost == null) {
                    throw new IllegalStateException(method + " has failed");
                }
                into.accept(new Measurement(table, row, nanos, cost.nanos / perUnit));
                if (!bytes.isEmpty()) {
                    into.accept(new Measurement(table, row, bytes, Math.rint(cost.bytes)));
                }
            });
        }
    }

    private Options options() {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(benchmark.getName() + "\\.(" + String.join("|", labels.keySet()) + ")$")
                .addProfiler(GCProfiler.class)
                .jvmArgsAppend(jvmOptions.toArray(String[]::new))
                .threads(threads)
                .forks(1)
                .warmupIterations(2)
                .warmupTime(TimeValue.milliseconds(400))
                .measurementIterations(3)
                .measurementTime(TimeValue.milliseconds(300))
                .verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        return options.build();
    }

    /** Returns the results by benchmark method. */
    private Map<String, Cost> run() throws RunnerException {
        Map<String, Cost> costs = new HashMap<>();
        for (RunResult run : new Runner(options()).run()) {
            String name = run.getParams().getBenchmark();
            Result<?> allocated = run.getSecondaryResults().get("gc.alloc.rate.norm");
            costs.put(
                    name.substring(name.lastIndexOf('.') + 1),
                    new Cost(run.getPrimaryResult().getScore(), allocated == null ? 0 : allocated.getScore()));
        }
        return costs;
    }
}
