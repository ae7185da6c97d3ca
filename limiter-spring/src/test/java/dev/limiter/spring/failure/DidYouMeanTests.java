package dev.limiter.spring.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages suggest the name that was meant, and no other. */
class DidYouMeanTests {

    private static final List<String> NAMES = List.of("leaky-bucket", "token-bucket", "fixed-window", "ip");

    @ParameterizedTest
    @CsvSource({
        "tokenbucket, token-bucket",
        "TOKEN_BUCKET, token-bucket",
        "tokn-bucket, token-bucket",
        "leaky-bukcet, leaky-bucket",
        "fxdwindow, fixed-window",
        "i, ip",
        "pi, ip",
        "token, token-bucket",
        "fixed-w, fixed-window",
        "lea, leaky-bucket",
        "le, ",
        "bucket, ",
        "xy, ",
        "sliding-log, "
    })
    void nearestNameIsMeant(String written, @Nullable String meant) {
        assertThat(DidYouMean.ask(written, NAMES)).isEqualTo(meant == null ? "" : " Did you mean " + meant + "?");
    }

    @ParameterizedTest
    @CsvSource({"'', '', 0", "'', abc, 3", "abc, '', 3", "abc, abc, 0", "abc, abd, 1", "abc, acb, 1", "abc, bca, 2"})
    void swappedNeighboursAreOneStep(String one, String other, int steps) {
        assertThat(DidYouMean.distance(one, other)).isEqualTo(steps);
    }

    @Test
    void nearerNameComesBeforeOneThatOnlyBeginsSo() {
        assertThat(DidYouMean.closest("max-wai", List.of("max-waiting", "max-wait")))
                .contains("max-wait");
        assertThat(DidYouMean.closest("end", List.of("ending-soon", "and"))).contains("and");
    }

    @Test
    void ofEquallyNearNamesItIsTheFirstInTheAlphabet() {
        assertThat(DidYouMean.closest("cat", List.of("rat", "bat"))).contains("bat");
    }
}
