package dev.limiter.spring.compile;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses durations: a whole number and one of the units {@code ns us ms s m h d}, or ISO-8601 such as {@code PT1H30M}.
 * Stricter than Spring's parser, which reads a number without a unit as milliseconds and a capital M as minutes.
 */
public final class DurationParser {

    private static final String ALLOWED =
            "It must be a whole number with one of ns us ms s m h d, such as 500ms, 10s or"
                    + " 1h, or ISO-8601 such as PT10S; 1mo only as a window with align: calendar";

    private static final Pattern SIMPLE = Pattern.compile("([0-9]{1,18}) *(ns|us|ms|s|m|h|d)");

    private static final Pattern SIMILAR =
            Pattern.compile("([0-9]{1,18}) *(sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|)");

    private DurationParser() {}

    /**
     * Returns the duration of a setting, 0 or more.
     *
     * @throws LimiterConfigurationException if it is not a duration
     */
    public static Duration parse(Setting<String> setting) {
        try {
            return parse(setting.value());
        } catch (IllegalArgumentException exception) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.DURATION,
                    setting.where(),
                    setting.value(),
                    exception.getMessage() + "." + didYouMean(setting.value())));
        }
    }

    private static String didYouMean(String text) {
        Matcher similar = SIMILAR.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!similar.matches()) {
            return "";
        }
        String unit = similar.group(2);
        return " Did you mean " + similar.group(1) + (unit.isEmpty() ? "s" : unit.substring(0, 1)) + "?";
    }

    /**
     * @return 0 or more
     * @throws IllegalArgumentException with what is allowed in its message
     */
    public static Duration parse(String text) {
        Matcher simple = SIMPLE.matcher(text.strip());
        try {
            Duration duration = simple.matches()
                    ? unit(simple.group(2)).multipliedBy(Long.parseLong(simple.group(1)))
                    : Duration.parse(text.strip());
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (DateTimeParseException | ArithmeticException exception) {
            throw new IllegalArgumentException(ALLOWED, exception);
        }
        throw new IllegalArgumentException(ALLOWED);
    }

    private static Duration unit(String unit) {
        return switch (unit) {
            case "ns" -> Duration.ofNanos(1);
            case "us" -> Duration.ofNanos(1_000);
            case "ms" -> Duration.ofMillis(1);
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            default -> Duration.ofDays(1);
        };
    }
}
