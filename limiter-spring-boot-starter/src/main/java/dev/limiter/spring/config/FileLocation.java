package dev.limiter.spring.config;

import java.io.FileNotFoundException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.springframework.util.ResourceUtils;

/** Reads a path or {@code file:} URL from a property. */
public final class FileLocation {

    /** At least two letters, to exclude drives of Windows. */
    private static final Pattern OTHER_SCHEME =
            Pattern.compile("(?!file:)[a-z][a-z0-9+.-]+\\*?:.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private FileLocation() {}

    /**
     * Returns the path in a property.
     *
     * @throws IllegalArgumentException if it is invalid, with a message for the problem of the property
     */
    public static Path path(String property) {
        String text = property.strip();
        try {
            if (!OTHER_SCHEME.matcher(text).matches()) {
                return ResourceUtils.getFile(text).toPath();
            }
        } catch (FileNotFoundException | InvalidPathException impossible) {
            throw new IllegalArgumentException(
                    "This is not a valid path: " + impossible.getMessage() + ".", impossible);
        }
        throw new IllegalArgumentException(
                "This is not a local file. Write a path such as /etc/limits/a.yml, or file:/etc/limits/a.yml.");
    }
}
