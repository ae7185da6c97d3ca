package dev.limiter.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs {@link DecisionBenchmark} in the cases of docs/explanation/performance.md, and prints its tables: nanoseconds
 * with the error that JMH states, the ratio to the look-up line of the same column, and the bytes that are allocated.
 * {@code java -cp benchmarks.jar dev.limiter.benchmarks.DecisionTables [forks]}, about 20 minutes for each fork.
 */
public final class DecisionTables {

    private static final List<Column> COLUMNS = List.of(
            new Column("one key, permitted", 1, "permitted", "same", 1),
            new Column("one key, refused", 1, "refused", "same", 1),
            new Column("one key, fresh strings", 1, "permitted", "fresh", 1),
            new Column("one key, 2 threads", 1, "permitted", "same", 2),
            new Column("1,000 keys", 1_000, "permitted", "same", 1),
            new Column("1,000,000 keys", 1_000_000, "permitted", "same", 1));

    /** The line that all ratios refer to. */
    private static final String BASELINE = "hashLookup";

    private DecisionTables() {}

    private record Column(String title, int keys, String outcome, String strings, int threads) {}

    /** The result of one benchmark: nanoseconds, their error (99.9 %), and bytes for each call. */
    record Cell(double nanos, double error, double bytes) {

        static Cell of(RunResult run) {
            Result<?> time = run.getPrimaryResult();
            Result<?> allocated = run.getSecondaryResults().get("gc.alloc.rate.norm");
            return new Cell(time.getScore(), time.getScoreError(), allocated == null ? 0 : allocated.getScore());
        }

        private String text(Cell baseline) {
            return String.format(
                    Locale.ROOT,
                    "%.1f \u00b1 %.1f (%.2f), %.0f B",
                    nanos,
                    Double.isNaN(error) ? 0 : error,
                    nanos / baseline.nanos,
                    bytes);
        }
    }

    public static void main(String[] args) throws RunnerException, IOException {
        int forks = args.length == 0 ? 1 : Integer.parseInt(args[0]);
        Map<String, Map<String, Cell>> byBenchmark = new TreeMap<>();
        for (Column column : COLUMNS) {
            run(column, forks)
                    .forEach((benchmark, cell) -> byBenchmark
                            .computeIfAbsent(benchmark, name -> new TreeMap<>())
                            .put(column.title, cell));
        }
        print(byBenchmark, System.out);
    }

    private static Map<String, Cell> run(Column column, int forks) throws RunnerException {
        return run(options(".*", column.keys, column.outcome, column.strings, forks)
                .threads(column.threads));
    }

    static ChainedOptionsBuilder options(String benchmarks, int keys, String outcome, String strings, int forks) {
        return new OptionsBuilder()
                .include(DecisionBenchmark.class.getName() + "\\.(" + benchmarks + ")$")
                .param("keys", Integer.toString(keys))
                .param("outcome", outcome)
                .param("strings", strings)
                .addProfiler(GCProfiler.class)
                .forks(forks)
                .warmupIterations(3)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(4)
                .measurementTime(TimeValue.seconds(1));
    }

    /** By the name of the benchmark's method. */
    static Map<String, Cell> run(ChainedOptionsBuilder options) throws RunnerException {
        Collection<RunResult> results = new Runner(options.build()).run();
        Map<String, Cell> cells = new TreeMap<>();
        for (RunResult run : results) {
            String name = run.getParams().getBenchmark();
            cells.put(name.substring(name.lastIndexOf('.') + 1), Cell.of(run));
        }
        return cells;
    }

    private static void print(Map<String, Map<String, Cell>> byBenchmark, PrintStream out) throws IOException {
        out.println(machine());
        out.println();
        StringBuilder head = new StringBuilder("| |");
        StringBuilder line = new StringBuilder("| --- |");
        for (Column column : COLUMNS) {
            head.append(' ').append(column.title).append(" |");
            line.append(" ---: |");
        }
        out.println(head);
        out.println(line);
        Map<String, Cell> baseline = byBenchmark.getOrDefault(BASELINE, Map.of());
        byBenchmark.forEach((benchmark, cells) -> {
            StringBuilder row = new StringBuilder("| ").append(benchmark).append(" |");
            for (Column column : COLUMNS) {
                Cell cell = cells.get(column.title);
                Cell base = baseline.get(column.title);
                row.append(' ')
                        .append(cell == null || base == null ? "" : cell.text(base))
                        .append(" |");
            }
            out.println(row);
        });
    }

    private static String machine() throws IOException {
        Path cpus = Path.of("/proc/cpuinfo");
        String model = Files.isReadable(cpus)
                ? Files.readAllLines(cpus, StandardCharsets.UTF_8).stream()
                        .filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .findFirst()
                        .orElse("")
                : System.getProperty("os.arch");
        return Runtime.getRuntime().availableProcessors() + " processors (" + model + "), "
                + System.getProperty("java.vm.name") + " " + Runtime.version() + ", " + System.getProperty("os.name");
    }
}
