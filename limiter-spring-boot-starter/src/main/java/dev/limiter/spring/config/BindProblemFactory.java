package dev.limiter.spring.config;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.EnumText;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** Says what cannot be read as a setting of Limiter: unknown keys, and values of the wrong type. */
final class BindProblemFactory {

    private static final Pattern RATE = Pattern.compile("(\\d+)\\s*/\\s*(\\d*)\\s*([a-zA-Z]+)");
    private static final Pattern UNIT = Pattern.compile("(ms|[smhd])|(sec|second|min|minute|hour|day)s?");

    private BindProblemFactory() {}

    /** {@code inForce}: what the first source has of that name. */
    static Problem unknown(ConfigurationProperty property, ConfigurationProperty inForce) {
        ConfigurationPropertyName name = property.getName();
        PropertyNames.Level level = PropertyNames.of(name);
        if (level.entry() != null) {
            return unreadable(name, property.getValue(), level.entry());
        }
        boolean ofKey = last(name.getParent()).equals("key");
        if (!ofKey && level.keys().stream().anyMatch(key -> isSame(key, level.written()))) {
            return new Problem(
                    MessageCode.UNREADABLE_VALUE,
                    name.toString(),
                    inForce.getValue(),
                    isEmpty(inForce.getValue())
                            ? "There is no value here, or a placeholder gave none. Write one, or remove the key."
                            : "A source that comes first, such as an environment variable, has one value for "
                                    + name.getParent() + ", which leaves no keys below it. Remove one of them.");
        }
        String reason = ofKey
                ? "A key is one text: write key: \"" + last(name) + ":" + property.getValue() + "\"."
                : "This key is unknown. Here there are: " + String.join(", ", level.keys())
                        + "." + ownKeys(level)
                        + DidYouMean.ask(level.written(), level.keys());
        return new Problem(MessageCode.UNKNOWN_KEY, name.toString(), property.getValue(), reason);
    }

    /** Spring Boot binds nothing then, and takes the key for one that it does not know. */
    private static boolean isEmpty(@Nullable Object value) {
        return value == null || value.toString().isBlank();
    }

    private static boolean isSame(String key, String written) {
        return key.replace("-", "").equalsIgnoreCase(written.replace("-", ""));
    }

    private static String ownKeys(PropertyNames.Level level) {
        return level.keys().contains("own-keys") ? " A key of your own is allowed if limiter.own-keys lists it." : "";
    }

    static Problem unreadable(ConfigurationPropertyName name, @Nullable Object value, Class<?> type) {
        String text = value == null ? "" : value.toString().strip();
        String rate = last(name).equals("limit") ? rate(text) : null;
        return rate == null
                ? new Problem(
                        MessageCode.UNREADABLE_VALUE, name.toString(), value, allowed(type) + suggestion(text, type))
                : new Problem(MessageCode.RATE_AS_LIMIT, name.toString(), value, rate);
    }

    private static String last(ConfigurationPropertyName name) {
        return name.isEmpty() ? "" : name.getLastElement(Form.ORIGINAL);
    }

    /** The advice for a limit that says more than a number; null if it does not look like a rate. */
    private static @Nullable String rate(String text) {
        if (text.equalsIgnoreCase("unlimited")) {
            return "A limit is a number. To limit nothing, remove the rule, or say mode: off.";
        }
        Matcher rate = RATE.matcher(text);
        if (!rate.matches()
                || !UNIT.matcher(rate.group(3).toLowerCase(Locale.ROOT)).matches()) {
            return null;
        }
        String unit = rate.group(3).toLowerCase(Locale.ROOT);
        String window = rate.group(2).isEmpty() ? "1" : rate.group(2);
        return "A limit is a number, and its window stands beside it: write limit: " + rate.group(1) + " and window: "
                + window + (unit.equals("ms") ? unit : unit.substring(0, 1)) + ".";
    }

    private static String allowed(Class<?> type) {
        if (type.isEnum()) {
            return "This must be one of: " + String.join(", ", constants(type)) + ".";
        }
        if (type == boolean.class || type == Boolean.class) {
            return "This must be true or false.";
        }
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
            return "This must be a whole number.";
        }
        if (type == Map.class) {
            return "This is empty: there must be at least one name in it, with settings of its own. Or remove it.";
        }
        return type.isRecord()
                ? "This must have keys of its own: " + String.join(", ", PropertyNames.of(type)) + "."
                : "This cannot be read as a " + type.getSimpleName() + ".";
    }

    private static String suggestion(String text, Class<?> type) {
        return type.isEnum() ? DidYouMean.ask(text, constants(type)) : "";
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .filter(BindProblemFactory::isAvailable)
                .map(constant -> EnumText.of((Enum<?>) constant))
                .toList();
    }

    private static boolean isAvailable(Object constant) {
        return !(constant instanceof Algorithm algorithm) || new RateLimiterFactory().supports(algorithm);
    }
}
