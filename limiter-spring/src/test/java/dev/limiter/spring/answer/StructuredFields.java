package dev.limiter.spring.answer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses lists as RFC 9651, section 4.2, says, and nothing more lenient: items that are strings, integers, booleans or
 * tokens, with parameters. Written from the specification, to check what the fields look like to others.
 */
final class StructuredFields {

    /** A bare item is a String, a Long, a Boolean or a {@link Token}. */
    record Item(Object value, Map<String, Object> parameters) {}

    record Token(String text) {}

    private final String input;
    private int position;

    private StructuredFields(String input) {
        this.input = input;
    }

    /**
     * @throws IllegalArgumentException where parsing fails
     */
    static List<Item> list(String field) {
        StructuredFields parser = new StructuredFields(field);
        parser.skip(" ");
        List<Item> members = parser.members();
        parser.skip(" ");
        parser.check(parser.atEnd(), "characters after the end");
        return members;
    }

    private List<Item> members() {
        List<Item> members = new ArrayList<>();
        while (!atEnd()) {
            members.add(new Item(bareItem(), parameters()));
            skip(" \t");
            if (atEnd()) {
                return members;
            }
            check(next() == ',', "no comma");
            skip(" \t");
            check(!atEnd(), "a trailing comma");
        }
        return members;
    }

    private Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        while (!atEnd() && peek() == ';') {
            position++;
            skip(" ");
            String key = key();
            Object value = Boolean.TRUE;
            if (!atEnd() && peek() == '=') {
                position++;
                value = bareItem();
            }
            // The specification lets the last one win; nobody should write two.
            check(parameters.put(key, value) == null, "two parameters " + key);
        }
        return parameters;
    }

    private String key() {
        int start = position;
        check(!atEnd() && (isLower(peek()) || peek() == '*'), "no key");
        while (!atEnd() && (isLower(peek()) || isDigit(peek()) || "_-.*".indexOf(peek()) >= 0)) {
            position++;
        }
        return input.substring(start, position);
    }

    private Object bareItem() {
        check(!atEnd(), "no item");
        char first = peek();
        if (first == '"') {
            return string();
        }
        if (first == '-' || isDigit(first)) {
            return integer();
        }
        if (first == '?') {
            return bool();
        }
        check(isLower(Character.toLowerCase(first)) || first == '*', "no item");
        return token();
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        position++;
        while (true) {
            char c = next();
            if (c == '"') {
                return string.toString();
            }
            if (c == '\\') {
                c = next();
                check(c == '"' || c == '\\', "an escape of " + c);
            }
            check(c >= 0x20 && c <= 0x7e, "no printable ASCII");
            string.append(c);
        }
    }

    private Long integer() {
        int sign = 1;
        if (peek() == '-') {
            position++;
            sign = -1;
        }
        int start = position;
        while (!atEnd() && isDigit(peek())) {
            position++;
            check(position - start <= 15, "an integer of more than 15 digits");
        }
        check(position > start, "no digits");
        check(atEnd() || peek() != '.', "a decimal");
        return sign * Long.parseLong(input.substring(start, position));
    }

    private Boolean bool() {
        position++;
        char c = next();
        check(c == '0' || c == '1', "no boolean");
        return c == '1';
    }

    private Token token() {
        int start = position;
        while (!atEnd()
                && (isLower(Character.toLowerCase(peek()))
                        || isDigit(peek())
                        || "!#$%&'*+-.^_`|~:/".indexOf(peek()) >= 0)) {
            position++;
        }
        return new Token(input.substring(start, position));
    }

    private void skip(String characters) {
        while (!atEnd() && characters.indexOf(peek()) >= 0) {
            position++;
        }
    }

    private boolean atEnd() {
        return position == input.length();
    }

    private char peek() {
        return input.charAt(position);
    }

    private char next() {
        check(!atEnd(), "an early end");
        return input.charAt(position++);
    }

    private static boolean isLower(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void check(boolean condition, String problem) {
        if (!condition) {
            throw new IllegalArgumentException(problem + " at " + position + " of " + input);
        }
    }
}
