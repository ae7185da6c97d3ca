package dev.limiter.readme;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds source files of all modules. It skips build output, which changes while tests run. */
final class Sources {

    static final Path MODULES = Path.of("..");

    private Sources() {}

    /** Returns the sorted files in this folder of all modules, such as {@code src/main}. */
    static List<Path> in(String folder) {
        return in(folder, module -> true);
    }

    /** Returns the sorted files in this folder of the modules with matching names. */
    static List<Path> in(String folder, Predicate<String> modules) {
        return Stream.concat(entries(MODULES).stream(), entries(MODULES.resolve("tests")).stream())
                .filter(module -> modules.test(module.getFileName().toString()))
                .map(module -> module.resolve(folder))
                .filter(Files::isDirectory)
                .flatMap(sources -> files(sources).stream())
                .toList();
    }

    private static List<Path> entries(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }

    /** Returns all files below a folder, sorted. */
    static List<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException exception) {
            throw new UncheckedIOException(exception);
        }
    }
}
