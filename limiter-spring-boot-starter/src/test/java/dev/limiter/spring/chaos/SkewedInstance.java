package dev.limiter.spring.chaos;

import static dev.limiter.testkit.Conditions.await;

import dev.limiter.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** An instance in a process of its own, whose clock is an hour ahead. */
final class SkewedInstance implements AutoCloseable {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

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

    private final InstanceProcess process;

    /** Starts it, and waits until it uses Redis. {@code directory}: an empty one. */
    SkewedInstance(Path directory, int redisPort, String... properties) throws IOException {
        compileClock(directory);
        process = new InstanceProcess(
                SkewedInstance.class,
                List.of(directory),
                Stream.concat(Stream.of("" + redisPort), Stream.of(properties)).toList());
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
        return process.port();
    }

    @Override
    public void close() {
        process.close();
    }

    public static void main(String... arguments) throws IOException {
        String[] properties = List.of(arguments).subList(1, arguments.length).toArray(String[]::new);
        try (Instance instance = new Instance(Integer.parseInt(arguments[0]), properties)) {
            await(instance::usesRedis);
            if (TimeSource.system().epochNanos() / 1_000_000 - System.currentTimeMillis() < 3_500_000) {
                throw new IllegalStateException("The clock is right");
            }
            InstanceProcess.serve(instance.port());
        }
    }
}
