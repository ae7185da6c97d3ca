package dev.limiter.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program of this jar in its own JVM. Its error stream is that of this JVM. */
public final class JavaProcess {

    private final List<String> jvmOptions = new ArrayList<>();
    private final Class<?> program;
    private final List<String> arguments = new ArrayList<>();

    private JavaProcess(Class<?> program) {
        this.program = program;
    }

    public static JavaProcess of(Class<?> program, String... arguments) {
        JavaProcess process = new JavaProcess(program);
        process.arguments.addAll(List.of(arguments));
        return process;
    }

    public JavaProcess arguments(List<String> more) {
        arguments.addAll(more);
        return this;
    }

    public JavaProcess jvmOptions(List<String> options) {
        jvmOptions.addAll(options);
        return this;
    }

    public Process start() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
