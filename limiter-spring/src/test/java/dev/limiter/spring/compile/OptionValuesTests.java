package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.BanOptions;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of options are checked against their ranges. */
class OptionValuesTests {

    private static final Map<String, Option<String>> DURATIONS = Stream.of(
                    LimitOptions.WARM_UP, RuleOptions.LIMIT_CACHE, RuleOptions.MAX_WAIT, BanOptions.WITHIN)
            .collect(Collectors.toMap(Option::name, Function.identity()));

    @ParameterizedTest
    @CsvSource({
        "warm-up, 0s",
        "warm-up, 30d",
        "limit-cache, 0s",
        "limit-cache, 24h",
        "max-wait, 0ms",
        "ban.within, 3660d"
    })
    void durationInRangeIsRead(String name, String text) {
        assertThat(duration(name, text)).isEqualTo(DurationParser.parse(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "warm-up | 721h | It must be at most 30d, such as 10s.",
                "ban.within | 0s | It must be longer than zero and at most 3660d, such as 1m.",
                "limit-cache | 25h | It must be at most 1d, such as 1m.",
                "ban.within | 3661d | It must be longer than zero and at most 3660d, such as 1m."
            })
    void durationOutOfRangeIsAProblem(String name, String text, String reason) {
        assertThatThrownBy(() -> duration(name, text))
                .isInstanceOf(LimiterConfigurationException.class)
                .hasMessage("here is \"" + text + "\": " + reason + " [LIM-108]");
    }

    private static Duration duration(String name, String text) {
        return OptionValues.duration(DURATIONS.get(name), new Setting<>(text, "here"), TimeSteps.NANOSECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0%", "51%", "100%", "5", "0.5%", "-1%", ""})
    void shareOutOfRangeIsAProblem(String text) {
        assertThatThrownBy(() -> OptionValues.percent(new Setting<>(text, "here"), 50, MessageCode.LEASE))
                .hasMessage("here is \"" + text + "\": It must be a share from 1% to 50%, such as 5%. [LIM-210]");
    }
}
