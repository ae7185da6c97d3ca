package dev.limiter.testkit;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Virtual machines that a test starts. */
public final class ChildJvm {

    private ChildJvm() {}

    /**
     * The command that starts one on the JDK of the test, and with its folder for temporary files: a server in a
     * process that is killed cannot delete those it made.
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
