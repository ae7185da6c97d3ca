package dev.limiter.benchmarks;

import dev.limiter.benchmarks.harness.Measurement;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The tables that {@link Tables} measures by one name.
 *
 * @param minutes for how long, at {@code rounds}
 * @param idle whether the machine must do nothing else meanwhile
 * @param needs the program that has to be on the PATH, or empty
 * @param layouts the tables that come of it
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

    /** The tables in Markdown. */
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
