package dev.limiter.benchmarks;

import dev.limiter.benchmarks.harness.JavaProcess;
import dev.limiter.benchmarks.harness.Measurement;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * A program that prints {@link Measurement}s, in its own JVM for each round. If its first argument is the number
 * of rounds, one JVM runs all of them.
 */
final class Program implements Source {

    private final Class<?> program;
    private final List<String> jvmOptions;
    private final List<String> arguments;
    private final boolean hasRounds;

    private Program(Class<?> program, List<String> jvmOptions, List<String> arguments, boolean hasRounds) {
        this.program = program;
        this.jvmOptions = jvmOptions;
        this.arguments = arguments;
        this.hasRounds = hasRounds;
    }

    static Source forked(Class<?> program, List<String> jvmOptions, String... arguments) {
        return Source.inTurn(List.of(new Program(program, jvmOptions, List.of(arguments), false)));
    }

    /** Returns a program that runs in its own JVM for each list of arguments, one after the other in each round. */
    static Source forkedInTurn(Class<?> program, List<String> jvmOptions, List<List<String>> arguments) {
        return Source.inTurn(arguments.stream()
                .map(each -> (Source) new Program(program, jvmOptions, each, false))
                .toList());
    }

    static Source withRounds(Class<?> program, List<String> jvmOptions, String... arguments) {
        return new Program(program, jvmOptions, List.of(arguments), true);
    }

    @Override
    public void measure(int rounds, Consumer<Measurement> into) throws IOException, InterruptedException {
        JavaProcess java = hasRounds ? JavaProcess.of(program, Integer.toString(rounds)) : JavaProcess.of(program);
        Process process = java.arguments(arguments).jvmOptions(jvmOptions).start();
        Thread end = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(end);
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                String other = line;
                Measurement.parse(line).ifPresentOrElse(into, () -> System.err.println(other));
            }
        }
        int exit = process.waitFor();
        Runtime.getRuntime().removeShutdownHook(end);
        if (exit != 0) {
            throw new IOException(program.getSimpleName() + " ended with " + exit);
        }
    }
}
