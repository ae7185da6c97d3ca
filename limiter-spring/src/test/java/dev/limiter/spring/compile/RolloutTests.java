package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A rollout applies to the given share of keys, always the same ones on all instances. */
class RolloutTests {

    private static final int KEYS = 100_000;

    static Stream<IntFunction<String>> keys() {
        return Stream.of(
                i -> "ip=" + i,
                i -> "ip=9:10.0." + i / 256 + "." + i % 256,
                i -> "header:x-api-key=32:" + "0".repeat(27) + (KEYS + i),
                i -> Character.toString((char) i) + (char) (i >>> 16));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void tenPercentAreTenPercent(IntFunction<String> keys) {
        Rollout tenth = new Rollout(1_000);
        long contained =
                IntStream.range(0, KEYS).mapToObj(keys).filter(tenth::contains).count();
        assertThat(100.0 * contained / KEYS).isCloseTo(10, Offset.offset(0.5));
    }

    @Test
    void largerShareHasTheKeysOfASmallerOne() {
        for (int i = 0; i < KEYS; i++) {
            String key = "key" + i;
            boolean contained = false;
            for (int hundredths : new int[] {1, 50, 1_000, 5_000, 9_999, 10_000}) {
                boolean now = new Rollout(hundredths).contains(key);
                assertThat(now || !contained).isTrue();
                contained = now;
            }
            assertThat(contained).isTrue();
        }
    }

    /** Instances of all versions reject the same keys. */
    @ParameterizedTest
    @CsvSource({"a, 3736", "ip=9:192.0.2.7, 413", "header:x-api-key=4:acme, 6848"})
    void keyIsWhereItWasInEachVersion(String key, int first) {
        assertThat(new Rollout(first).contains(key)).isFalse();
        assertThat(new Rollout(first + 1).contains(key)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1, 0.01%", "50, 0.5%", "1000, 10%", "1025, 10.25%", "10000, 100%"})
    void isShownAsWritten(int hundredths, String text) {
        Locale locale = Locale.getDefault();
        for (String tag : List.of("en", "de", "ar-EG-u-nu-arab")) {
            Locale.setDefault(Locale.forLanguageTag(tag));
            try {
                assertThat(new Rollout(hundredths)).hasToString(text);
            } finally {
                Locale.setDefault(locale);
            }
        }
    }
}
