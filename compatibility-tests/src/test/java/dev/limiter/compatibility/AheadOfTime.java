package dev.limiter.compatibility;

import dev.limiter.testkit.ChildJvm;
import dev.limiter.testkit.Clients;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.springframework.boot.SpringApplicationAotProcessor;

/** An application as {@code process-aot} of Spring Boot's Maven plugin makes it, and as it then runs. */
final class AheadOfTime {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    private final Class<?> application;
    private final Path classes;

    /** Processes the application with these properties, and compiles what comes out. */
    AheadOfTime(Class<?> application, Path directory, String... arguments) throws IOException {
        this.application = application;
        this.classes = directory.resolve("classes");
        Path sources = directory.resolve("sources");
        process(sources, arguments);
        compile(sources);
    }

    /** In a process of its own: classes of proxies that other tests have made would not be written again. */
    private void process(Path sources, String... arguments) throws IOException {
        List<String> command = java(CLASS_PATH);
        command.addAll(List.of(
                SpringApplicationAotProcessor.class.getName(),
                application.getName(),
                sources.toString(),
                classes.toString(),
                classes.toString(),
                "dev.limiter",
                "application"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IllegalStateException("Processing failed:\n" + output);
        }
    }

    private static List<String> java(String classPath) {
        return new ArrayList<>(ChildJvm.command("-cp", classPath));
    }

    private void compile(Path sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (Stream<Path> found = Files.walk(sources);
                StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<Path> java =
                    found.filter(file -> file.toString().endsWith(".java")).toList();
            List<String> options = List.of(
                    "-proc:none",
                    "-nowarn",
                    "-classpath",
                    CLASS_PATH + File.pathSeparator + classes,
                    "-d",
                    classes.toString());
            if (!compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
                    .call()) {
                throw new IllegalStateException("What process-aot wrote does not compile");
            }
        }
    }

    /** Starts it with what was processed, and waits until it listens. */
    Running start(String... arguments) throws IOException {
        List<String> command = java(classes + File.pathSeparator + CLASS_PATH);
        command.addAll(List.of("-Dspring.aot.enabled=true", application.getName()));
        command.addAll(List.of(arguments));
        return new Running(new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** A process that has to be ended. */
    static final class Running implements AutoCloseable {

        private final Process process;
        private final Clients clients;

        Running(Process process) throws IOException {
            this.process = process;
            BufferedReader output = process.inputReader();
            StringBuilder log = new StringBuilder();
            String line = output.readLine();
            while (line != null && !line.startsWith(AheadOfTimeApplication.PORT)) {
                log.append(line).append('\n');
                line = output.readLine();
            }
            if (line == null) {
                throw new IllegalStateException("It did not start:\n" + log);
            }
            this.clients = new Clients(Integer.parseInt(line.substring(AheadOfTimeApplication.PORT.length())));
        }

        Clients clients() {
            return clients;
        }

        @Override
        public void close() {
            process.destroy();
            process.onExit().join();
        }
    }
}
