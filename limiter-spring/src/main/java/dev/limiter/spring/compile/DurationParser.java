package dev.limiter.spring.compile;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * Reads durations: a whole number and one of the units {@code ns us ms s m h d}, or ISO-8601 such as {@code PT1H30M}.
 * Stricter than Spring's own, which takes a number without a unit for milliseconds and a capital M for minutes.
 */
public final class DurationParser {

    private static final String ALLOWED = "write a whole number with one of ns us ms s m h d, such as 500ms, 10s or 1h,"
            + " or ISO-8601 such as PT10S";

    private DurationParser() {}

    /**
     * @return 0 or more
     * @throws IllegalArgumentException with the mistake and a correct example in its message
     */
    public static Duration parse(String text) {
        String trimmed = text.strip();
        Duration duration = trimmed.startsWith("P") || trimmed.startsWith("p") ? iso(trimmed) : simple(trimmed);
        if (duration.isNegative()) {
            throw new IllegalArgumentException("A duration cannot be negative; " + ALLOWED);
        }
        return duration;
    }

    private static Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException exception) {
            throw new IllegalArgumentException(
                    "This is not a duration of fixed length in ISO-8601; " + ALLOWED, exception);
        }
    }

    private static Duration simple(String text) {
        int digits = 0;
        while (digits < text.length() && isDigit(text.charAt(digits))) {
            digits++;
        }
        if (text.startsWith("-")) {
            throw new IllegalArgumentException("A duration cannot be negative; " + ALLOWED);
        }
        if (digits == 0) {
            throw new IllegalArgumentException("This is not a duration; " + ALLOWED);
        }
        String number = text.substring(0, digits);
        String unit = text.substring(digits).strip();
        Duration one = unit(unit);
        if (one == null) {
            throw new IllegalArgumentException(wrongUnit(number, unit) + "; " + ALLOWED);
        }
        try {
            return one.multipliedBy(Long.parseLong(number));
        } catch (ArithmeticException | NumberFormatException exception) {
            throw new IllegalArgumentException("This is too long; " + ALLOWED, exception);
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static @Nullable Duration unit(String unit) {
        return switch (unit) {
            case "ns" -> Duration.ofNanos(1);
            case "us" -> Duration.ofNanos(1_000);
            case "ms" -> Duration.ofMillis(1);
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            case "d" -> Duration.ofDays(1);
            default -> null;
        };
    }

    private static String wrongUnit(String number, String unit) {
        return switch (unit) {
            case "" -> "The unit is missing: is it " + number + "ms, " + number + "s or " + number + "m";
            case "mo" -> "A month is a window only with algorithm: fixed-window and align: calendar, as 1mo";
            default -> "The unit \"" + unit + "\" is unknown";
        };
    }
}
