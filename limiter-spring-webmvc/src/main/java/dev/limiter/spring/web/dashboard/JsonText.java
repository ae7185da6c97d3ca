package dev.limiter.spring.web.dashboard;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** Maps, numbers, truth values and texts as JSON, so that the page depends on no JSON library of the application. */
final class JsonText {

    private JsonText() {}

    /** {@code value}: a map with texts as keys, an array of numbers, a number, a truth value or a text. */
    static String of(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> quoted(entry.getKey().toString()) + ':' + of(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof long[] numbers) {
            return Arrays.toString(numbers);
        }
        return value instanceof Number || value instanceof Boolean ? value.toString() : quoted(value.toString());
    }

    static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c == '"' || c == '\\' ? "\\" : "").append(c);
            }
        }
        return json.append('"').toString();
    }
}
