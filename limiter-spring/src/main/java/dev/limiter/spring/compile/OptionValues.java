package dev.limiter.spring.compile;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reads values of options, and holds them to the ranges of these. */
final class OptionValues {

    private OptionValues() {}

    /** Adds a problem if a number is not in the range of its option. */
    static void checkRange(Option<?> option, @Nullable Setting<?> setting, Problems problems) {
        boolean bounded = option.max() != Long.MAX_VALUE;
        if (setting != null
                && bounded
                && setting.value() instanceof Number number
                && (number.longValue() < option.min() || number.longValue() > option.max())) {
            problems.add(
                    MessageCode.OUT_OF_RANGE,
                    setting.where(),
                    number,
                    "This must be from " + option.min() + " to " + option.max() + ".");
        }
    }

    /**
     * The duration that a text says; null if it is out of range or none.
     *
     * @param steps that it must consist of; null if any will do
     */
    static @Nullable Duration duration(
            Option<String> option, Setting<String> setting, @Nullable TimeSteps steps, Problems problems) {
        try {
            Duration duration = DurationParser.parse(setting.value());
            if (steps != null) {
                steps.check(setting, duration, problems);
            }
            Duration longest = option.longest();
            boolean fits = longest == null || duration.compareTo(longest) <= 0;
            if (fits && (option.mayBeZero() || !duration.isZero())) {
                return duration;
            }
            problems.add(MessageCode.DURATION, setting.where(), setting.value(), range(option));
        } catch (IllegalArgumentException exception) {
            problems.add(MessageCode.DURATION, setting.where(), setting.value(), exception.getMessage() + ".");
        }
        return null;
    }

    private static String range(Option<String> option) {
        Duration longest = option.longest();
        return "It must be "
                + (option.mayBeZero() ? "" : "longer than zero")
                + (option.mayBeZero() || longest == null ? "" : " and ")
                + (longest == null ? "" : "at most " + longest.toDays() + "d")
                + (option.suggestions().isEmpty()
                        ? ""
                        : ", such as " + option.suggestions().get(0).value())
                + ".";
    }
}
