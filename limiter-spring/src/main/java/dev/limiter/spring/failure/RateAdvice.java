package dev.limiter.spring.failure;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Advises on a limit that says more than a number. */
public final class RateAdvice {

    private static final Pattern RATE = Pattern.compile("(\\d+)\\s*/\\s*(\\d*)\\s*([a-zA-Z]+)");
    private static final Pattern UNIT = Pattern.compile("(ms|[smhd])|(sec|second|min|minute|hour|day)s?");

    private RateAdvice() {}

    /** The advice; null if the text does not look like a rate. */
    public static @Nullable String of(String text) {
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
}
