package dev.limiter.benchmarks;

import static dev.limiter.benchmarks.DecisionTables.options;

import dev.limiter.benchmarks.DecisionTables.Cell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Fails when a decision has become much dearer: more than {@value #MOST_RATIO} times a hash look-up with one
 * compare-and-set, or {@value #MOST_BYTES} bytes. The least ratio of some short rounds counts, each with both in turn,
 * so that a busy machine fails nothing. {@code java -cp benchmarks.jar dev.limiter.benchmarks.DecisionGate}, a minute.
 */
public final class DecisionGate {

    /** Measured: 1.3 to 1.6, by machine. */
    private static final double MOST_RATIO = 2.2;

    /** Measured: 32. */
    private static final double MOST_BYTES = 48;

    private static final int ROUNDS = 3;
    private static final List<String> GUARDED = List.of("limiterTokenBucket", "limiterFixedWindow");

    private DecisionGate() {}

    public static void main(String[] args) throws RunnerException {
        double[] ratios = new double[GUARDED.size()];
        double[] bytes = new double[GUARDED.size()];
        Arrays.fill(ratios, Double.MAX_VALUE);
        Arrays.fill(bytes, Double.MAX_VALUE);
        for (int round = 0; round < ROUNDS; round++) {
            Map<String, Cell> cells = round();
            double lookUp = cells.get("hashLookup").nanos();
            for (int i = 0; i < GUARDED.size(); i++) {
                Cell cell = cells.get(GUARDED.get(i));
                ratios[i] = Math.min(ratios[i], cell.nanos() / lookUp);
                bytes[i] = Math.min(bytes[i], cell.bytes());
            }
        }
        List<String> dear = new ArrayList<>();
        for (int i = 0; i < GUARDED.size(); i++) {
            String line = String.format(
                    Locale.ROOT, "%s: %.2f of a look-up, %.0f bytes", GUARDED.get(i), ratios[i], bytes[i]);
            System.out.println(line);
            if (ratios[i] > MOST_RATIO || bytes[i] > MOST_BYTES) {
                dear.add(line);
            }
        }
        if (!dear.isEmpty()) {
            System.err.println("Too dear: " + String.join("; ", dear));
            System.exit(1);
        }
    }

    private static Map<String, Cell> round() throws RunnerException {
        return DecisionTables.run(options("hashLookup|" + String.join("|", GUARDED), 1, "permitted", "same", 1)
                .jvmArgsAppend("-Xms1g", "-Xmx1g", "-Xmn256m")
                .measurementTime(TimeValue.milliseconds(500))
                .verbosity(VerboseMode.SILENT));
    }
}
