package dev.limiter.spring.config;

import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Describes problems of properties below {@code limiter}: unknown keys, and values of the wrong type. */
final class BindProblemFactory {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");
    private static final Pattern WORD_OF_YAML = Pattern.compile("\\[(true|false)]$");
    private static final Pattern INTEGER = Pattern.compile("[+-]?\\d+");
    private static final Pattern RATE = Pattern.compile("(\\d+) ?/ ?([smhd])[a-z]*");
    private static final List<Option<?>> OPTIONS = Stream.of(LimitOptions.OF_NAMED, RuleOptions.ALL, BanOptions.ALL)
            .<Option<?>>flatMap(List::stream)
            .toList();

    private BindProblemFactory() {}

    /**
     * Returns the problem of a property that is only partly declared.
     *
     * @param value the value of the property
     */
    static Problem unknown(ConfigurationPropertyName property, KnownKeys.Place place, @Nullable Object value) {
        if (!place.type().isRecord()) {
            return unreadable(place.name(), null, place.type());
        }
        int depth = place.name().getNumberOfElements();
        List<String> keys = KnownKeys.of(place.type());
        return new Problem(
                MessageCode.UNKNOWN_KEY,
                property.chop(depth + 1).toString(),
                property.getNumberOfElements() == depth + 1 ? value : null,
                "This key is unknown. Allowed here: " + String.join(", ", keys) + "." + meant(property, depth, keys));
    }

    /** Suggests the same key at another level, a rule below {@code limiter.rules}, or a key with a similar name. */
    private static String meant(ConfigurationPropertyName property, int depth, List<String> keys) {
        String key = property.getElement(depth, Form.ORIGINAL);
        String end = "." + key.replace("_", "-");
        boolean inRules = property.getElement(1, Form.UNIFORM).equals("rules");
        Optional<String> elsewhere = KnownKeys.paths().stream()
                .filter(path -> path.endsWith(end) && !inRules)
                .findFirst();
        if (elsewhere.isPresent()) {
            return " Did you mean " + elsewhere.get() + "?";
        }
        String similar = DidYouMean.ask(key, keys);
        boolean ofRule = property.getNumberOfElements() > depth + 1
                && KnownKeys.of(LimiterProperties.Rule.class).contains(property.getElement(depth + 1, Form.DASHED));
        return depth == 1 && similar.isEmpty() && ofRule ? " Did you mean limiter.rules." + key + "?" : similar;
    }

    /** Returns the problem of an empty value, for which Spring Boot would silently use the default. */
    static Problem empty(ConfigurationPropertyName name, @Nullable Object value) {
        return new Problem(
                MessageCode.UNREADABLE_VALUE,
                name.toString(),
                value,
                "The value is empty, or a placeholder resolved to nothing. Set a value, or remove the key.");
    }

    /**
     * Returns the problem of an unresolved placeholder, or null. Shows only the placeholder: the rest may be secret.
     */
    static @Nullable Problem unresolved(ConfigurationPropertyName name, String text) {
        Matcher placeholder = PLACEHOLDER.matcher(text);
        return placeholder.find()
                ? new Problem(
                        MessageCode.PLACEHOLDER,
                        name.toString(),
                        placeholder.group(),
                        "The placeholder has no value. Define its property, or write a default: ${name:default}.")
                : null;
    }

    /** Returns the problem of a name with characters that Spring Boot drops, or that YAML reads as true or false. */
    static Problem wrongName(String where) {
        return new Problem(
                MessageCode.NAME,
                where,
                null,
                WORD_OF_YAML.matcher(where).find()
                        ? "YAML reads the names on, off, yes and no as true or false. Quote the name, as in \"off\"."
                        : "A name must consist of letters, digits, '-' and '_', and start with a lowercase letter or"
                                + " digit.");
    }

    /** Returns the problem of a key with two spellings in one source. Spring Boot would read only one of them. */
    static Problem repeated(ConfigurationPropertyName name) {
        return new Problem(
                MessageCode.SAME_NAME,
                name.toString(),
                null,
                "This key is written twice in one source, in two spellings. Remove one.");
    }

    /** Returns the problem of a value that cannot be converted to the type. */
    static Problem unreadable(ConfigurationPropertyName name, @Nullable Object value, Class<?> type) {
        String text = value == null ? "" : value.toString().strip();
        boolean tooLarge = isNumber(type) && INTEGER.matcher(text).matches();
        return new Problem(
                tooLarge ? MessageCode.OUT_OF_RANGE : MessageCode.UNREADABLE_VALUE,
                name.toString(),
                value,
                allowed(name.isEmpty() ? "" : name.getLastElement(Form.ORIGINAL), type)
                        + (type.isEnum() ? DidYouMean.ask(text, constants(type)) : "")
                        + (isNumber(type) ? rate(text) : ""));
    }

    private static String rate(String text) {
        Matcher rate = RATE.matcher(text);
        return rate.matches() ? " Did you mean limit: " + rate.group(1) + ", window: 1" + rate.group(2) + "?" : "";
    }

    private static String allowed(String key, Class<?> type) {
        if (type.isEnum()) {
            return "This must be one of: " + String.join(", ", constants(type)) + ".";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "This must be true or false.";
        }
        if (isNumber(type)) {
            return "This must be a whole number" + range(key, type) + ".";
        }
        if (type == Map.class) {
            return "This must contain at least one name with its settings.";
        }
        if (type == List.class) {
            return "This must be a list of strings.";
        }
        return type.isRecord()
                ? "This must have keys of its own: " + String.join(", ", KnownKeys.of(type)) + "."
                : "This must be a string.";
    }

    private static boolean isNumber(Class<?> type) {
        return type.isPrimitive() && type != boolean.class || Number.class.isAssignableFrom(type);
    }

    /** Returns the range of an option, or else of its type. */
    private static String range(String key, Class<?> type) {
        for (Option<?> option : OPTIONS) {
            if (option.name().equals(key) && option.max() != Long.MAX_VALUE) {
                return " from " + option.min() + " to " + option.max();
            }
        }
        return ", such as 100, at most "
                + (type == int.class || type == Integer.class ? Integer.MAX_VALUE : Long.MAX_VALUE);
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> EnumText.of((Enum<?>) constant))
                .toList();
    }
}
