package dev.limiter.spring.response;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses lists strictly by RFC 9651, section 4.2: items are strings, parameters are strings or integers. Written from
 * the specification, independently of the code under test.
 */
final class StructuredFields {

    record Item(String value, Map<String, Object> parameters) {}

    private static final String STRING = "\"((?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*)\"";
    private static final Pattern PARAMETER =
            Pattern.compile("; *([a-z*][a-z0-9_.*-]*)=(?:(-?[0-9]{1,15})(?![0-9.])|" + STRING + ")");
    private static final Pattern ITEM = Pattern.compile(STRING + "((?:" + PARAMETER + ")*)");
    private static final Pattern LIST = Pattern.compile(ITEM + "(?:[ \t]*,[ \t]*" + ITEM + ")*");

    private StructuredFields() {}

    /**
     * @throws IllegalArgumentException where parsing fails
     */
    static List<Item> list(String field) {
        if (!field.isEmpty() && !LIST.matcher(field).matches()) {
            throw new IllegalArgumentException("no list: " + field);
        }
        List<Item> items = new ArrayList<>();
        for (Matcher item = ITEM.matcher(field); item.find(); ) {
            Map<String, Object> parameters = new LinkedHashMap<>();
            for (Matcher parameter = PARAMETER.matcher(item.group(2)); parameter.find(); ) {
                String number = parameter.group(2);
                Object value = number == null ? unescaped(parameter.group(3)) : Long.valueOf(number);
                // In the specification, the last one wins; our fields must not contain two.
                if (parameters.put(parameter.group(1), value) != null) {
                    throw new IllegalArgumentException("two parameters " + parameter.group(1));
                }
            }
            items.add(new Item(unescaped(item.group(1)), parameters));
        }
        return items;
    }

    private static String unescaped(String text) {
        return text.replaceAll("\\\\(.)", "$1");
    }
}
