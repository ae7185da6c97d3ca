package dev.limiter.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures the tables of docs/internals/benchmarks.md, and prints each in Markdown with its machine and command:
 * {@code java -cp benchmarks.jar dev.limiter.benchmarks.Tables NAME...}, or {@code all}. {@code list} prints the
 * names and durations. {@code --rounds N} before the names sets the number of rounds. Progress goes to the error
 * stream.
 */
public final class Tables {

    private static final String COMMAND = "java -cp benchmarks/target/benchmarks.jar dev.limiter.benchmarks.Tables ";

    private Tables() {}

    public static void main(String[] args) {
        List<String> names = new ArrayList<>(Arrays.asList(args));
        int rounds = 0;
        if (names.size() > 1 && names.get(0).equals("--rounds")) {
            rounds = Integer.parseInt(names.get(1));
            names.subList(0, 2).clear();
        }
        if (names.isEmpty() || names.equals(List.of("list"))) {
            list(System.out);
            return;
        }
        System.exit(run(chosen(names), rounds, System.out) ? 0 : 1);
    }

    private static void list(PrintStream out) {
        double sum = 0;
        for (Job job : Catalogue.JOBS) {
            sum += job.minutes();
            out.printf(
                    Locale.ROOT,
                    "%-15s %4.1f min  %-9s %s%s%n",
                    job.name(),
                    job.minutes(),
                    job.idle() ? "idle" : "any load",
                    job.what(),
                    job.needs().isEmpty() ? "" : "; needs " + job.needs());
        }
        out.printf(Locale.ROOT, "%-15s %4.1f min%n", "all", sum);
    }

    private static List<Job> chosen(List<String> names) {
        if (names.equals(List.of("all"))) {
            return Catalogue.JOBS;
        }
        List<Job> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(Catalogue.JOBS.stream()
                    .filter(job -> job.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("Unknown table: " + name + "; see list")));
        }
        return chosen;
    }

    /** Returns whether all tables were measured; one that fails does not stop the others. */
    private static boolean run(List<Job> jobs, int rounds, PrintStream out) {
        boolean all = true;
        for (Job job : jobs) {
            System.err.printf(Locale.ROOT, "%s: about %.1f minutes%n", job.name(), job.minutes());
            if (!job.canRun()) {
                System.err.printf("%s needs %s on the PATH%n", job.name(), job.needs());
                all = false;
                continue;
            }
            try {
                print(job, rounds == 0 ? job.rounds() : rounds, out);
            } catch (Exception failed) {
                failed.printStackTrace();
                all = false;
            }
        }
        return all;
    }

    private static void print(Job job, int rounds, PrintStream out) throws Exception {
        String load = Machine.load();
        long begun = System.nanoTime();
        List<String> lines = job.run(rounds);
        double minutes = (System.nanoTime() - begun) / 6e10;
        out.printf("## %s%n%n", job.name());
        lines.forEach(out::println);
        out.printf(
                Locale.ROOT,
                "%s; load before: %s; rounds: %d, in %.1f minutes. `%s%s`%n%n",
                Machine.describe(),
                load,
                rounds,
                minutes,
                COMMAND,
                job.name());
    }
}
