package dev.limiter.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.opentest4j.TestAbortedException;

/** Finds programs on the path. */
public final class Programs {

    private Programs() {}

    /** @throws TestAbortedException if the program is missing, so that the test is skipped */
    public static String onPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElseThrow(() -> new TestAbortedException(program + " is not on the path"));
    }
}
