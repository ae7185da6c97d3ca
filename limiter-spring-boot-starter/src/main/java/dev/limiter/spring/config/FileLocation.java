package dev.limiter.spring.config;

import java.io.FileNotFoundException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.springframework.util.ResourceUtils;

/** The file that a property names: by its path, or by a {@code file:} URL. */
public final class FileLocation {

    /** Not the drive of a path of Windows, which is one letter. */
    private static final Pattern OTHER_SCHEME =
            Pattern.compile("(?!file:)[a-z][a-z0-9+.-]+\\*?:.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private FileLocation() {}

    /**
     * The path that a property names.
     *
     * @throws IllegalArgumentException if it names none; the message is for the property's problem
     */
    public static Path path(String property) {
        String text = property.strip();
        try {
            if (!OTHER_SCHEME.matcher(text).matches()) {
                return ResourceUtils.getFile(text).toPath();
            }
        } catch (FileNotFoundException | InvalidPathException impossible) {
            throw new IllegalArgumentException("It is no name of a file: " + impossible.getMessage() + ".", impossible);
        }
        throw new IllegalArgumentException("This names no file of this machine: write its path, such as"
                + " /etc/limits/a.yml, or file:/etc/limits/a.yml.");
    }
}
