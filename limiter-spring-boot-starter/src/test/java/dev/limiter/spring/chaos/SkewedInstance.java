package dev.limiter.spring.chaos;

import dev.limiter.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.tools.ToolProvider;

/** An instance in a process of its own, whose clock is an hour ahead. */
final class SkewedInstance implements AutoCloseable {

    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final String PORT = "listening on ";

    /** Stands in for the class of that name, as if the clock of the machine were wrong. */
    private static final String CLOCK = """
            package dev.limiter;

            final class SystemTimeSource implements TimeSource {

                static final SystemTimeSource INSTANCE = new SystemTimeSource();

                private final long origin = (System.currentTimeMillis() + 3_600_000) * 1_000_000 - System.nanoTime();

                @Override
                public long epochNanos() {
                    return origin + System.nanoTime();
                }
            }
            """;

    private final Process process;
    private final int port;

    /** Starts it, and waits until it uses Redis. {@code directory}: an empty one. */
    SkewedInstance(Path directory, int redisPort, String... properties) throws IOException {
        compileClock(directory);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                directory + ":" + CLASS_PATH,
                SkewedInstance.class.getName(),
                "" + redisPort));
        command.addAll(List.of(properties));
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        port = process.inputReader()
                .lines()
                .filter(line -> line.startsWith(PORT))
                .findFirst()
                .map(line -> Integer.parseInt(line.substring(PORT.length())))
                .orElseThrow(() -> new IllegalStateException("It did not start"));
    }

    private static void compileClock(Path directory) throws IOException {
        Path source = Files.writeString(directory.resolve("SystemTimeSource.java"), CLOCK);
        int errors = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", CLASS_PATH, "-d", "" + directory, "" + source);
        if (errors != 0) {
            throw new IllegalStateException("The clock does not compile");
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }

    public static void main(String... arguments) throws IOException {
        String[] properties = List.of(arguments).subList(1, arguments.length).toArray(String[]::new);
        Instance instance = new Instance(Integer.parseInt(arguments[0]), properties);
        while (!instance.usesRedis()) {
            LockSupport.parkNanos(10_000_000);
        }
        if (TimeSource.system().epochNanos() / 1_000_000 - System.currentTimeMillis() < 3_500_000) {
            throw new IllegalStateException("The clock is right");
        }
        System.out.println(PORT + instance.port());
        // ends with the test at the latest, which holds the other end
        while (System.in.read() >= 0) {
            LockSupport.parkNanos(10_000_000);
        }
        instance.close();
    }
}
