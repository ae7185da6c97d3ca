package dev.limiter.spring.compile;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.Setting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the values of options, and checks their ranges. */
final class OptionValues {

    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,2})?) ?%");

    private OptionValues() {}

    /**
     * Returns the duration of a setting.
     *
     * @throws LimiterConfigurationException if it is not a duration, not a whole number of steps, or out of range
     */
    static Duration duration(Option<String> option, Setting<String> setting, TimeSteps steps) {
        Duration duration = steps.duration(setting);
        Duration longest = Objects.requireNonNull(option.longest());
        if (duration.compareTo(longest) <= 0 && (option.mayBeZero() || !duration.isZero())) {
            return duration;
        }
        throw new LimiterConfigurationException(new Problem(
                MessageCode.DURATION,
                setting.where(),
                setting.value(),
                "It must be " + (option.mayBeZero() ? "" : "longer than zero and ") + "at most " + longest.toDays()
                        + "d, such as " + option.suggestions().get(0).value() + "."));
    }

    /**
     * Returns the percentage of a setting such as {@code 5%}.
     *
     * @throws LimiterConfigurationException with the given code if it is not a whole number from 1 to {@code most}
     */
    static int percent(Setting<String> setting, int most, MessageCode code) {
        String text = setting.value().strip();
        int percent = text.matches("[0-9]{1,2}%") ? Integer.parseInt(text.substring(0, text.length() - 1)) : 0;
        if (percent >= 1 && percent <= most) {
            return percent;
        }
        throw new LimiterConfigurationException(new Problem(
                code, setting.where(), setting.value(), "It must be a share from 1% to " + most + "%, such as 5%."));
    }

    /**
     * Returns the share of the keys of a setting such as {@code 0.5%}.
     *
     * @throws LimiterConfigurationException if it is not a share
     */
    static Rollout rollout(Setting<String> setting) {
        Matcher percent = PERCENT.matcher(setting.value().strip());
        int hundredths = percent.matches()
                ? new BigDecimal(percent.group(1)).movePointRight(2).intValueExact()
                : 0;
        if (hundredths < 1 || hundredths > Rollout.ALL.hundredths()) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.ROLLOUT,
                    setting.where(),
                    setting.value(),
                    "It must be a share from 0.01% to 100%, such as 10%. To reject no request, use mode: shadow."));
        }
        return new Rollout(hundredths);
    }
}
