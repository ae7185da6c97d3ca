package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Durations have the documented units, and others are rejected. */
class DurationParserTests {

    @ParameterizedTest
    @CsvSource({
        "7ns, PT0.000000007S",
        "7us, PT0.000007S",
        "500ms, PT0.5S",
        "10s, PT10S",
        "10 s, PT10S",
        "15m, PT15M",
        "2h, PT2H",
        "7d, PT168H",
        "0ms, PT0S",
        "PT1H30M, PT1H30M",
        "pt10s, PT10S",
        "P2D, PT48H",
        "PT0.5S, PT0.5S",
        "' 1s ', PT1S",
    })
    void readsWholeNumbersWithUnitsAndIso(String text, Duration expected) {
        assertThat(DurationParser.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10",
                "0",
                "10M",
                "10S",
                "1mo",
                "2mo",
                "1h30m",
                "1.5s",
                "-1s",
                "PT-1S",
                "P1M",
                "P",
                "",
                "s",
                "soon",
                "${window}",
                "99999999999999999999s",
                "9223372036854775807d",
                "999999999999999999d",
                "١s"
            })
    void saysWhatWouldBeRight(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationParser.parse(text))
                .withMessageContaining("ns us ms s m h d");
    }
}
