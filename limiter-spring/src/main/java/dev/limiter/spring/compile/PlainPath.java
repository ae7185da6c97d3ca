package dev.limiter.spring.compile;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.http.server.PathContainer.Separator;

/**
 * Normalizes paths: removes empty segments, {@code .}, {@code ..} and a trailing slash, and decodes separators. Handlers
 * of static resources do so: {@code /js/app.js}, {@code //js/./app.js} and {@code /js%2Fapp.js} are the same file.
 */
final class PlainPath {

    private static final Pattern ENCODED_SEPARATOR = Pattern.compile("%2f|%5c|\\\\", Pattern.CASE_INSENSITIVE);

    private PlainPath() {}

    /** Returns the normalized path; the argument itself if it is normalized. */
    static PathContainer of(PathContainer path) {
        PathContainer split = split(path);
        return isPlain(split) ? split : PathContainer.parsePath(plain(split));
    }

    private static PathContainer split(PathContainer path) {
        String text = path.value();
        if (text.indexOf('%') < 0 && text.indexOf('\\') < 0) {
            return path;
        }
        Matcher encoded = ENCODED_SEPARATOR.matcher(text);
        return encoded.find() ? PathContainer.parsePath(encoded.replaceAll("/")) : path;
    }

    private static boolean isPlain(PathContainer path) {
        boolean afterSeparator = false;
        for (PathContainer.Element element : path.elements()) {
            boolean separator = element instanceof Separator;
            if (separator ? afterSeparator : isEmptyOrDots((PathSegment) element)) {
                return false;
            }
            afterSeparator = separator;
        }
        return !afterSeparator || path.elements().size() == 1;
    }

    private static String plain(PathContainer path) {
        Deque<String> segments = new ArrayDeque<>();
        for (PathContainer.Element element : path.elements()) {
            if (element instanceof PathSegment segment) {
                if (!isEmptyOrDots(segment)) {
                    segments.addLast(segment.value());
                } else if (segment.valueToMatch().equals("..")) {
                    segments.pollLast();
                }
            }
        }
        return "/" + String.join("/", segments);
    }

    private static boolean isEmptyOrDots(PathSegment segment) {
        String value = segment.valueToMatch();
        return value.isEmpty() || value.equals(".") || value.equals("..");
    }
}
