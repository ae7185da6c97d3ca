package dev.limiter.spring.config;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.util.StringUtils;

/** The file that a property names: by its path, or by a {@code file:} URL. */
public final class FileLocation {

    /** A server other than this machine is part of no path. */
    private static final Pattern FILE_URL =
            Pattern.compile("file:(?://(?:localhost)?(?=/))?(?<path>(?!//).+)", Pattern.CASE_INSENSITIVE);

    /** Not the drive of a path of Windows, which is one letter. */
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]+\\*?:", Pattern.CASE_INSENSITIVE);

    private FileLocation() {}

    /**
     * The path that a property names.
     *
     * @throws IllegalArgumentException if it names none; the message is for the property's problem
     */
    public static Path path(String property) {
        String text = property.strip();
        Matcher url = FILE_URL.matcher(text);
        if (!url.matches() && SCHEME.matcher(text).lookingAt()) {
            throw new IllegalArgumentException("This names no file of this machine: write its path, such as"
                    + " /etc/limits/a.yml, or file:/etc/limits/a.yml.");
        }
        try {
            // the class that takes the path of a URL for a path of Windows as well
            return url.matches() ? new File(decoded(url.group("path"))).toPath() : Path.of(text);
        } catch (InvalidPathException impossible) {
            throw new IllegalArgumentException("It is no name of a file: " + impossible.getReason() + ".", impossible);
        }
    }

    private static String decoded(String path) {
        try {
            return StringUtils.uriDecode(path, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException unencoded) {
            return path;
        }
    }
}
