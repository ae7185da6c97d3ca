package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    @CsvSource({
        "10, The unit is missing: is it 10ms",
        "0, The unit is missing",
        "10M, The unit \"M\" is unknown",
        "10S, The unit \"S\" is unknown",
        "1mo, align: calendar",
        "2mo, align: calendar",
        "1h30m, The unit \"h30m\" is unknown",
        "1.5s, The unit \".5s\" is unknown",
        "-1s, negative",
        "PT-1S, negative",
        "P1M, not a duration of fixed length",
        "P, not a duration of fixed length",
        "'', This is not a duration",
        "s, This is not a duration",
        "soon, This is not a duration",
        "${window}, This is not a duration",
        "99999999999999999999s, too long",
        "9223372036854775807d, too long",
        "١s, This is not a duration",
    })
    void saysWhatWouldBeRight(String text, String said) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationParser.parse(text))
                .withMessageContaining(said)
                .withMessageContaining("ns us ms s m h d");
    }
}
