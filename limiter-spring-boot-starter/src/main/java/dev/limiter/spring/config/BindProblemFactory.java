package dev.limiter.spring.config;

import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.RateAdvice;
import dev.limiter.spring.rule.BanDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.ClassUtils;

/** Says what cannot be read as a setting of Limiter: unknown keys, and values of the wrong type. */
final class BindProblemFactory {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{[^}]*}");
    private static final Pattern INTEGER = Pattern.compile("[+-]?\\d+");
    private static final List<Option<?>> OPTIONS = Stream.of(
                    LimitOptions.OF_NAMED, RuleOptions.ALL, BanDefinition.OPTIONS)
            .<Option<?>>flatMap(List::stream)
            .toList();

    private BindProblemFactory() {}

    /**
     * The problem of a property that nothing was bound to.
     *
     * @param inForce what the first source has of that name
     * @param empty whether that is no value
     * @param replaced the section that it is in, of which a source has one value; null if there is none
     */
    static Problem unknown(
            ConfigurationProperty property,
            ConfigurationProperty inForce,
            boolean empty,
            @Nullable ConfigurationPropertyName replaced) {
        ConfigurationPropertyName name = property.getName();
        Object value = property.getValue();
        PropertyNames.Level level = PropertyNames.of(name);
        if (isPartOfNumber(property)) {
            return new Problem(
                    MessageCode.UNKNOWN_KEY,
                    name.toString(),
                    isEmpty(value) ? null : value,
                    "This key is unknown. Maybe it is the end of a number with a comma in it: write that number without"
                            + " it, such as limit: 1000. Here there are: " + String.join(", ", level.keys()) + "."
                            + ownKeys(level));
        }
        String inList = ShapeAdvice.inList(name, level, value);
        if (inList != null) {
            return new Problem(MessageCode.UNREADABLE_VALUE, name.toString(), value, inList);
        }
        if (level.entry() != null) {
            return unreadable(name, value, level.entry());
        }
        boolean below = name.getNumberOfElements() > level.depth() + 1;
        if (below && level.type() != null) {
            boolean ofKey = level.written().equals("key") && !name.isLastElementIndexed();
            return ofKey
                    ? new Problem(
                            MessageCode.UNKNOWN_KEY,
                            name.toString(),
                            value,
                            "A key is one text: write key: \"" + last(name) + ":" + value + "\".")
                    : new Problem(
                            MessageCode.UNREADABLE_VALUE,
                            name.toString(),
                            value,
                            ShapeAdvice.belowValue(name, level, value));
        }
        if (level.keys().stream().anyMatch(key -> PropertyNames.isSame(key, level.written()))) {
            return new Problem(
                    MessageCode.UNREADABLE_VALUE, name.toString(), inForce.getValue(), unread(empty, replaced));
        }
        return new Problem(
                MessageCode.UNKNOWN_KEY,
                name.toString(),
                value,
                "This key is unknown. Here there are: " + String.join(", ", level.keys())
                        + "." + ownKeys(level)
                        + DidYouMean.ask(level.written(), level.keys()));
    }

    /** Whether an unknown key is a number, or begins with one, and is no position in a list. */
    static boolean isPartOfNumber(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        boolean first = name.isNumericIndex(name.getNumberOfElements() - 1)
                && last(name).equals("0");
        return Character.isDigit(last(name).charAt(0))
                && PropertyNames.isUnknown(name)
                && (!first || isEmpty(property.getValue()));
    }

    /** The reason why a known key has not been read. */
    private static String unread(boolean empty, @Nullable ConfigurationPropertyName replaced) {
        if (empty) {
            return "There is no value here, or a placeholder gave none. Write one, or remove the key.";
        }
        return replaced == null
                ? "This has not been read, because something around it cannot be. Compare it with the manual."
                : "A source that comes first, such as an environment variable, has one value for " + replaced
                        + ", which leaves no keys below it. Remove one of them.";
    }

    /** The problem of a known key without a value. */
    static Problem empty(ConfigurationPropertyName name) {
        return new Problem(MessageCode.UNREADABLE_VALUE, name.toString(), "", unread(true, null));
    }

    /** Spring Boot binds nothing then, and takes the key for one that it does not know. */
    static boolean isEmpty(@Nullable Object value) {
        return value == null || value.toString().isBlank();
    }

    private static String ownKeys(PropertyNames.Level level) {
        return level.keys().contains("own-keys") ? " A key of your own is allowed if limiter.own-keys lists it." : "";
    }

    /** The problem of a value for {@code limiter} itself. */
    static Problem valueOfAll(@Nullable Object value) {
        return new Problem(
                MessageCode.UNREADABLE_VALUE,
                LimiterProperties.PREFIX,
                value,
                "This has keys of its own. To switch all limits off, write limiter.enabled: false.");
    }

    /** The problem of a list in the place of names. */
    static Problem list(ConfigurationPropertyName name) {
        return new Problem(MessageCode.UNREADABLE_VALUE, name.toString(), null, ShapeAdvice.names(name));
    }

    /** The problem of a text in which a placeholder is left; null if there is none. The rest of it may be secret. */
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

    static Problem unreadable(ConfigurationPropertyName name, @Nullable Object value, Class<?> type) {
        String text = value == null ? "" : value.toString().strip();
        String rate = last(name).equals("limit") ? RateAdvice.of(text) : null;
        if (isNumber(type) && INTEGER.matcher(text).matches()) {
            return new Problem(MessageCode.OUT_OF_RANGE, name.toString(), value, range(last(name), text, type));
        }
        if (type == Map.class && !text.isEmpty()) {
            return new Problem(MessageCode.UNREADABLE_VALUE, name.toString(), value, ShapeAdvice.names(name, text));
        }
        return rate == null
                ? new Problem(
                        MessageCode.UNREADABLE_VALUE, name.toString(), value, allowed(type) + suggestion(text, type))
                : new Problem(MessageCode.RATE_AS_LIMIT, name.toString(), value, rate);
    }

    private static String last(ConfigurationPropertyName name) {
        return name.isEmpty() ? "" : name.getLastElement(Form.ORIGINAL);
    }

    private static String allowed(Class<?> type) {
        if (type.isEnum()) {
            return "This must be one of: " + String.join(", ", constants(type)) + ".";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "This must be true or false.";
        }
        if (isNumber(type)) {
            return "This must be a whole number, such as 100.";
        }
        if (type == Map.class) {
            return "This is empty: there must be at least one name in it, with settings of its own. Or remove it.";
        }
        return type.isRecord()
                ? "This must have keys of its own: " + String.join(", ", PropertyNames.of(type)) + "."
                : "This cannot be read as a " + type.getSimpleName() + ".";
    }

    private static boolean isNumber(Class<?> type) {
        return type.isPrimitive() && type != boolean.class || Number.class.isAssignableFrom(type);
    }

    /** The range that a whole number is not in, since it is not one of its type either. */
    private static String range(String key, String text, Class<?> type) {
        for (Option<?> option : OPTIONS) {
            if (option.name().equals(key) && option.max() != Long.MAX_VALUE) {
                return "This must be from " + option.min() + " to " + option.max() + ".";
            }
        }
        boolean isInt = ClassUtils.resolvePrimitiveIfNecessary(type) == Integer.class;
        return text.startsWith("-")
                ? "This must be a whole number, at least " + (isInt ? Integer.MIN_VALUE : Long.MIN_VALUE) + "."
                : "This must be a whole number, at most " + (isInt ? Integer.MAX_VALUE : Long.MAX_VALUE) + ".";
    }

    private static String suggestion(String text, Class<?> type) {
        return type.isEnum() ? DidYouMean.ask(text, constants(type)) : "";
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> EnumText.of((Enum<?>) constant))
                .toList();
    }
}
