package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.BanDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values of options are held to the ranges of these. */
class OptionValuesTests {

    private static final Map<String, Option<String>> DURATIONS = Stream.of(
                    LimitOptions.WARM_UP, RuleOptions.LIMIT_CACHE, RuleOptions.MAX_WAIT, BanDefinition.WITHIN)
            .collect(Collectors.toMap(Option::name, Function.identity()));

    private final Problems problems = new Problems();

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1001})
    void numberOutOfRangeIsAProblem(int buckets) {
        OptionValues.checkRange(LimitOptions.BUCKETS, new Setting<>(buckets, "here.buckets"), problems);

        assertThat(found())
                .containsExactly("here.buckets is \"" + buckets + "\": This must be from 1 to 1000. [LIM-107]");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000})
    void numberInRangeIsNone(int buckets) {
        OptionValues.checkRange(LimitOptions.BUCKETS, new Setting<>(buckets, "here.buckets"), problems);

        assertThatNoException().isThrownBy(problems::throwIfAny);
    }

    @ParameterizedTest
    @CsvSource({"warm-up, 0s", "warm-up, 30d", "limit-cache, 0s", "limit-cache, 24h", "max-wait, 0ms", "within, 3660d"})
    void durationInRangeIsRead(String name, String text) {
        Option<String> option = DURATIONS.get(name);

        assertThat(OptionValues.duration(option, new Setting<>(text, "here"), null, problems))
                .isEqualTo(DurationParser.parse(text));
        assertThatNoException().isThrownBy(problems::throwIfAny);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "warm-up | 721h | It must be at most 30d, such as 10s.",
                "within | 0s | It must be longer than zero and at most 3660d, such as 1m.",
                "limit-cache | 25h | It must be at most 1d, such as 1m.",
                "within | 3661d | It must be longer than zero and at most 3660d, such as 1m."
            })
    void durationOutOfRangeIsAProblem(String name, String text, String reason) {
        Option<String> option = DURATIONS.get(name);

        assertThat(OptionValues.duration(option, new Setting<>(text, "here"), null, problems))
                .isNull();
        assertThat(found()).containsExactly("here is \"" + text + "\": " + reason + " [LIM-108]");
    }

    private List<String> found() {
        return catchThrowableOfType(LimiterConfigurationException.class, problems::throwIfAny).problems().stream()
                .map(Object::toString)
                .toList();
    }
}
