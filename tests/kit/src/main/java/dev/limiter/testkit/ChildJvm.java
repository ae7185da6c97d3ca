package dev.limiter.testkit;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Starts JVMs for tests. */
public final class ChildJvm {

    private ChildJvm() {}

    /**
     * Returns the command that starts a JVM with the JDK and the temporary folder of the test. A killed process cannot
     * delete its own temporary files.
     */
    public static List<String> command(String... arguments) {
        return Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                                "-XX:TieredStopAtLevel=1"),
                        Stream.of(arguments))
                .toList();
    }
}
