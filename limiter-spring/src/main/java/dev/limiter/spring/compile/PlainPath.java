package dev.limiter.spring.compile;

import java.util.ArrayDeque;
import java.util.Deque;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.PathContainer.PathSegment;
import org.springframework.http.server.PathContainer.Separator;

/**
 * Normalizes paths: removes empty segments, {@code .}, {@code ..} and a trailing slash. Handlers of static resources
 * ignore them: {@code /app.js}, {@code //app.js} and {@code /./app.js} are the same file.
 */
final class PlainPath {

    private PlainPath() {}

    /** Returns the normalized path; the argument itself if it is normalized. */
    static PathContainer of(PathContainer path) {
        return isPlain(path) ? path : PathContainer.parsePath(plain(path));
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
