package dev.limiter.spring.chaos;

import dev.limiter.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * An instance in a separate JVM. Its main method calls {@link #serve}, and its output is part of the output of the
 * test.
 */
final class InstanceProcess implements AutoCloseable {

    private static final String PORT = "listening on ";

    private final Process process;
    private final int port;

    /** Starts an instance, and waits until it accepts requests. ¶ @param folders classes before those of the test */
    InstanceProcess(Class<?> main, List<Path> folders, List<String> arguments) throws IOException {
        this(main, folders, arguments, System.out::println);
    }

    /** @param lines receives each line of the output, one at a time */
    InstanceProcess(Class<?> main, List<Path> folders, List<String> arguments, Consumer<String> lines)
            throws IOException {
        String classPath = Stream.concat(
                        folders.stream().map(Path::toString), Stream.of(System.getProperty("java.class.path")))
                .reduce((first, second) -> first + File.pathSeparator + second)
                .orElseThrow();
        List<String> command = Stream.concat(
                        ChildJvm.command("-XX:+UseSerialGC", "-Xmx256m", "-cp", classPath, main.getName()).stream(),
                        arguments.stream())
                .toList();
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        BufferedReader output = process.inputReader();
        port = output.lines()
                .peek(lines)
                .filter(line -> line.startsWith(PORT))
                .findFirst()
                .map(line -> Integer.parseInt(line.substring(PORT.length())))
                .orElseThrow(() -> new IllegalStateException("The process did not start"));
        // a process blocks if its output is not read
        Thread reader = new Thread(() -> output.lines().forEach(lines), "output of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    int port() {
        return port;
    }

    /** Called in the process: prints its port, and returns when the test closes the input. */
    static void serve(int port) throws IOException {
        System.out.println(PORT + port);
        System.in.transferTo(OutputStream.nullOutputStream());
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("The process did not exit on SIGTERM");
            }
        } catch (InterruptedException exception) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
