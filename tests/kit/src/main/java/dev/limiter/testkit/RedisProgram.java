package dev.limiter.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import redis.embedded.core.ExecutableProvider;

/** Finds Redis server programs: installed ones, and an old one from a test dependency. */
final class RedisProgram {

    private RedisProgram() {}

    /** Returns the installed {@code redis-server}, or else the embedded one. */
    static String newest() {
        return onPath("redis-server").orElseGet(RedisProgram::embedded);
    }

    static String embedded() {
        try {
            return ExecutableProvider.newJarResourceProvider().get().getAbsolutePath();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    static Optional<String> onPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
