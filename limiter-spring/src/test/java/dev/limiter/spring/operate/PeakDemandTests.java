package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.PeakDemand.Suggestion;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Suggested limits reject the given share of keys. */
class PeakDemandTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @ParameterizedTest
    @CsvSource({"0, 10", "0.1, 9", "0.25, 8", "0.5, 5", "0.99, 1"})
    void isTheSmallestLimitThatRejectsNoMore(double share, long limit) {
        PeakDemand demand = new PeakDemand(MINUTE);
        for (int key = 1; key <= 10; key++) {
            for (int window = 0; window < 3; window++) {
                for (int request = 0; request < (window == 1 ? key : 1); request++) {
                    demand.add("key" + key, null, 1, window * MINUTE.toNanos() + request);
                }
            }
        }
        assertThat(demand.suggest(share, null).limit()).isEqualTo(limit);
        assertThat(demand.suggest(share, null).keys()).isEqualTo(10);
    }

    @Test
    void nothingIsSuggestedOfNothingAndPermitsAreCounted() {
        PeakDemand demand = new PeakDemand(MINUTE);
        assertThat(demand.suggest(0.1, null)).isEqualTo(new Suggestion(0, 0, 0));
        demand.add("key", null, 7, 5);
        demand.add("key", null, 2, 6);
        assertThat(demand.suggest(0, null)).isEqualTo(new Suggestion(9, 1, 2));
    }
}
