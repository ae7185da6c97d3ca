package dev.limiter.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.opentest4j.TestAbortedException;

/** Programs of the machine. */
public final class Programs {

    private Programs() {}

    /** @throws TestAbortedException if the machine has no such program: then the test is skipped */
    public static String onPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElseThrow(() -> new TestAbortedException("There is no " + program + " on the path"));
    }
}
