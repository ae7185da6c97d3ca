package dev.limiter.spring.config;

import dev.limiter.spring.failure.EnumText;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** The advice where a list, a section with keys, or a value is written in the place of another of these. */
final class ShapeAdvice {

    private static final List<String> NAMES = List.of("name", "id");

    private static final String SOME_NAME = "a-name";

    private ShapeAdvice() {}

    /**
     * The advice for something below a property that has a value or a list of texts.
     *
     * @param value that was found there
     */
    static String belowValue(ConfigurationPropertyName name, PropertyNames.Level level, Object value) {
        String key = level.written();
        boolean list = level.type() == List.class;
        boolean text = level.type() == String.class;
        boolean position = name.isNumericIndex(level.depth() + 1);
        if (list && position && name.getNumberOfElements() == level.depth() + 2) {
            return "The list ends before this: its positions go from [0] without a gap, all in one source. Correct"
                    + " them, or write " + key + ": [\"" + value + "\"].";
        }
        String example = list ? "[\"" + value + "\"]" : text ? "\"" + value + "\"" : value.toString();
        String found = position
                ? list ? "There is more than a text in this list" : "There is a list here"
                : "There is a key \"" + name.getElement(level.depth() + 1, Form.ORIGINAL) + "\" here";
        return found + ", but " + name.chop(level.depth() + 1) + " must be " + wanted(level.type()) + ": write " + key
                + ": " + example + ".";
    }

    private static String wanted(@Nullable Class<?> type) {
        if (type == null || type == String.class) {
            return "one text";
        }
        if (type == List.class) {
            return "a list of texts";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type.isEnum()) {
            return "one of: "
                    + Arrays.stream(type.getEnumConstants())
                            .map(constant -> EnumText.of((Enum<?>) constant))
                            .collect(Collectors.joining(", "));
        }
        return "a whole number";
    }

    /** The advice where {@code name} is in a list in the place of keys or names; null if it is in none. */
    static @Nullable String inList(ConfigurationPropertyName name, PropertyNames.Level level, Object value) {
        int depth = level.depth();
        if (name.isNumericIndex(depth)) {
            boolean named = level.entry() != null;
            return advice(
                    name.chop(depth),
                    named ? "names" : "keys",
                    named ? name(value) + ": { ... }" : key(name, level, value));
        }
        boolean first = name.isNumericIndex(depth - 1)
                && (NAMES.contains(level.written())
                        || !ListedNames.mayBeList(name.chop(depth - 1))
                                && name.getElement(depth - 1, Form.UNIFORM).equals("0"));
        String content = NAMES.contains(level.written()) ? name(value) : SOME_NAME;
        return first ? advice(name.chop(depth - 1), "names", content + ": { ... }") : null;
    }

    /** The key in a list, with its value; the first that there is where a list has values alone. */
    private static String key(ConfigurationPropertyName name, PropertyNames.Level level, Object value) {
        int last = name.getNumberOfElements() - 1;
        return last == level.depth()
                ? level.keys().get(0) + ": ..."
                : name.getElement(last, Form.ORIGINAL) + ": " + value;
    }

    /** The advice for a list in the place of names. */
    static String names(ConfigurationPropertyName list) {
        return advice(list, "names", SOME_NAME + ": { ... }");
    }

    private static String advice(ConfigurationPropertyName section, String needed, String content) {
        return section + " is a list here, but needs " + needed + ": write " + section.getLastElement(Form.ORIGINAL)
                + ": { " + content + " }.";
    }

    /** The value, if it can be a name. */
    private static String name(Object value) {
        return value.toString().matches("[a-z][a-zA-Z0-9_-]*") ? value.toString() : SOME_NAME;
    }

    /** The advice where a text stands in the place of names. */
    static String names(ConfigurationPropertyName name, String text) {
        return "There must be names here, each with settings of its own: write " + name.getLastElement(Form.ORIGINAL)
                + ": { " + name(text) + ": { ... } }.";
    }

    /** The subject that several problems share: the property that has another shape, or the property itself. */
    static ConfigurationPropertyName subject(ConfigurationPropertyName name) {
        PropertyNames.Level level = PropertyNames.of(name);
        for (int depth = level.depth() - 1; depth <= level.depth(); depth++) {
            if (depth > 0 && name.isNumericIndex(depth) && !ListedNames.mayBeList(name.chop(depth))) {
                return name.chop(depth);
            }
        }
        return level.type() == null ? name : name.chop(level.depth() + 1);
    }
}
