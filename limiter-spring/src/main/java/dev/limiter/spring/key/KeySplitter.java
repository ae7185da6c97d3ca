package dev.limiter.spring.key;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Splits keys where a separator is outside quotes and brackets. */
final class KeySplitter {

    private KeySplitter() {}

    /**
     * The texts between separators, without surrounding spaces; at least one.
     *
     * @throws IllegalArgumentException if a quote or bracket has no counterpart
     */
    static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        Deque<Character> open = new ArrayDeque<>();
        char quote = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                quote = c == quote ? 0 : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '(' || c == '[' || c == '{') {
                open.push(c);
            } else if (c == ')' || c == ']' || c == '}') {
                close(open, c);
            } else if (c == separator && open.isEmpty()) {
                parts.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        if (quote != 0 || !open.isEmpty()) {
            throw new IllegalArgumentException("a " + (quote != 0 ? quote : open.getFirst()) + " is not closed");
        }
        parts.add(text.substring(start).strip());
        return parts;
    }

    private static void close(Deque<Character> open, char closing) {
        char expected = closing == ')' ? '(' : closing == ']' ? '[' : '{';
        if (open.isEmpty() || open.pop() != expected) {
            throw new IllegalArgumentException("a " + closing + " closes nothing");
        }
    }
}
