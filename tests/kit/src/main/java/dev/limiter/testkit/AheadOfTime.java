package dev.limiter.testkit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** An application as {@code process-aot} of Spring Boot's Maven plugin makes it, and as it then runs. */
public final class AheadOfTime {

    private static final String PROCESSOR = "org.springframework.boot.SpringApplicationAotProcessor";
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
    private static final Pattern READY = Pattern.compile(" Started \\w+ in ");

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    private final Class<?> application;
    private final Path classes;

    /** Processes the application with these properties, and compiles what comes out. */
    public AheadOfTime(Class<?> application, Path directory, String... arguments) throws IOException {
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
                PROCESSOR,
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
    public Running start(String... arguments) throws IOException {
        List<String> command = java(classes + File.pathSeparator + CLASS_PATH);
        command.addAll(List.of("-Dspring.aot.enabled=true", application.getName()));
        command.addAll(List.of(arguments));
        return new Running(new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** A process that has to be ended. */
    public static final class Running implements AutoCloseable {

        private final Process process;
        private final StringBuffer log = new StringBuffer();
        private final Clients clients;

        private Running(Process process) throws IOException {
            this.process = process;
            BufferedReader output = process.inputReader();
            this.clients = new Clients(awaitReady(output));
            // a process stops when the pipe of its output is full
            Thread reader = new Thread(() -> output.lines().forEach(this::logged), "output of " + process.pid());
            reader.setDaemon(true);
            reader.start();
        }

        private int awaitReady(BufferedReader output) throws IOException {
            int port = 0;
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                logged(line);
                Matcher listening = PORT.matcher(line);
                port = listening.find() ? Integer.parseInt(listening.group(1)) : port;
                if (READY.matcher(line).find()) {
                    return port;
                }
            }
            throw new IllegalStateException("It did not start:\n" + log);
        }

        private void logged(String line) {
            log.append(line).append('\n');
        }

        /** The output so far. */
        public String log() {
            return log.toString();
        }

        public Clients clients() {
            return clients;
        }

        @Override
        public void close() {
            process.destroy();
            process.onExit().join();
        }
    }
}
