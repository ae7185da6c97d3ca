package dev.limiter.spring.address;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a list in a header, from right to left: the nearest proxy wrote the last element. An earlier element
 * may come from any client, and cannot change how later ones are read, even with an open quote. Empty elements are
 * skipped, but counted. Not thread-safe.
 */
final class HeaderElements {

    /**
     * The most elements, including empty ones: longer than any chain of proxies, and as many as an 8 kB header can
     * contain.
     */
    static final int MOST = 1_000;

    private final List<String> lines;
    private final boolean quotedStrings;
    private String line = "";
    private int lineIndex;
    private int unread = -1;
    private int seen;

    /**
     * @param lines of the header, in order
     * @param quotedStrings whether a comma between quotes separates nothing
     */
    HeaderElements(List<String> lines, boolean quotedStrings) {
        this.lines = lines;
        this.quotedStrings = quotedStrings;
        this.lineIndex = lines.size();
    }

    /** Returns the next element to the left; null if there is none, or if there are too many. */
    @Nullable
    String next() {
        while (seen < MOST) {
            if (unread < 0) {
                if (lineIndex == 0) {
                    return null;
                }
                line = lines.get(--lineIndex);
                unread = line.length();
            }
            int comma = comma();
            String element = withoutBlanks(line.substring(comma + 1, unread));
            unread = comma;
            seen++;
            if (!element.isEmpty()) {
                return element;
            }
        }
        return null;
    }

    /** Returns the text without surrounding spaces and tabs. */
    static String withoutBlanks(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isBlank(text.charAt(start))) {
            start++;
        }
        while (start < end && isBlank(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    /** Returns the next comma to the left that separates; -1 if there is none in this line. */
    private int comma() {
        boolean quoted = false;
        for (int i = unread - 1; i >= 0; i--) {
            char c = line.charAt(i);
            if (c == '"' && quotedStrings) {
                quoted = !quoted || isEscaped(i);
            } else if (c == ',' && !quoted) {
                return i;
            }
        }
        return -1;
    }

    private boolean isEscaped(int index) {
        int backslashes = 0;
        while (backslashes < index && line.charAt(index - backslashes - 1) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }
}
