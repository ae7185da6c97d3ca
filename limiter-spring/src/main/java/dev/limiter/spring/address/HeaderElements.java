package dev.limiter.spring.address;

import java.util.List;

/**
 * The elements of a list in a header, from right to left: the nearest proxy wrote the last element. An earlier element
 * may come from anyone, and cannot change how later ones are read, even with an open quote. Empty elements are skipped,
 * but counted. Not thread-safe.
 */
final class HeaderElements {

    /**
     * The most elements, with empty ones: more than any chain of proxies has, and as many as a header of 8 kB can hold.
     */
    static final int MOST = 1_000;

    private final List<String> lines;
    private final boolean quotedStrings;
    private String line = "";
    private int lineIndex;
    private int unread;
    private int start;
    private int end;
    private int seen;

    /**
     * @param lines of the header, in order
     * @param quotedStrings whether a comma between quotes separates nothing
     */
    HeaderElements(List<String> lines, boolean quotedStrings) {
        this.lines = lines;
        this.quotedStrings = quotedStrings;
        this.lineIndex = lines.size();
        this.unread = -1;
    }

    /** Goes on to the next element to the left; false if there is none, or there are too many. */
    boolean next() {
        while (seen < MOST) {
            if (unread < 0) {
                if (lineIndex == 0) {
                    return false;
                }
                line = lines.get(--lineIndex);
                unread = line.length();
            }
            end = unread;
            int comma = comma();
            start = comma + 1;
            unread = comma;
            trim();
            seen++;
            if (start < end) {
                return true;
            }
        }
        return false;
    }

    /** The line of the element. */
    String line() {
        return line;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    /** The next comma to the left that separates; -1 if there is none in this line. */
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

    private void trim() {
        while (start < end && isBlank(line.charAt(start))) {
            start++;
        }
        while (start < end && isBlank(line.charAt(end - 1))) {
            end--;
        }
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }
}
