package dev.limiter.benchmarks;

import dev.limiter.benchmarks.harness.Measurement;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The tables that {@link Tables} measures under one name.
 *
 * @param minutes the duration with {@code rounds} rounds
 * @param idle whether the machine must be idle
 * @param needs a program that must be on the PATH, or empty
 * @param layouts the resulting tables
 */
record Job(
        String name,
        String what,
        double minutes,
        boolean idle,
        String needs,
        int rounds,
        Source source,
        List<Layout> layouts) {

    /** Returns the tables in Markdown. */
    List<String> run(int rounds) throws Exception {
        List<Measurement> measurements = new ArrayList<>();
        source.measure(rounds, measurements::add);
        List<String> lines = new ArrayList<>();
        for (Layout layout : layouts) {
            lines.addAll(layout.lines(measurements));
            lines.add("");
        }
        return lines;
    }

    boolean canRun() {
        return needs.isEmpty()
                || Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, needs)));
    }
}
