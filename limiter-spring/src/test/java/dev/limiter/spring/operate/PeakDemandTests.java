package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.operate.PeakDemand.Suggestion;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Suggested limits reject the given share of keys. */
class PeakDemandTests {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** One request of a recorded trace. */
    private interface Trace {
        void request(String key, long time);
    }

    /** Creates a trace in which some clients send many more requests than most, at random times of each hour. */
    private static void hour(int hour, int clients, Trace trace) {
        Random random = new Random(hour);
        Random loads = new Random(0);
        for (int client = 0; client < clients; client++) {
            double load = 2 / Math.pow(1 - loads.nextDouble(), 0.8);
            long requests = Math.round(Math.min(load, 5_000) * (0.8 + 0.4 * random.nextDouble()));
            for (long i = 0; i < requests; i++) {
                trace.request(
                        "ip=" + client,
                        TimeUnit.HOURS.toNanos(hour) + (long) (random.nextDouble() * 3_600_000_000_000L));
            }
        }
    }

    @Test
    void limitOfTheFirstHalfSuitsTheSecond() {
        PeakDemand first = new PeakDemand(Duration.ofHours(1));
        hour(1, 50_000, (key, time) -> first.add(key, null, 1, time));
        Suggestion suggestion = first.suggest(0.001, null);

        Map<String, Integer> second = new HashMap<>();
        hour(2, 50_000, (key, time) -> second.merge(key, 1, Integer::sum));
        double rejected = second.values().stream()
                        .filter(requests -> requests > suggestion.limit())
                        .count()
                / (double) second.size();

        assertThat(rejected).isBetween(0.0008, 0.0012);
        assertThat(suggestion.keys()).isEqualTo(50_000);
    }

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

    @Test
    void aMillionKeysAreCountedInASample() {
        PeakDemand demand = new PeakDemand(MINUTE);
        for (int i = 0; i < 1_000_000; i++) {
            demand.add("ip=9:10." + i / 65_536 + "." + i / 256 % 256 + "." + i % 256, null, 1 + i % 1_000, 0);
        }
        Suggestion suggestion = demand.suggest(0.05, null);
        assertThat(suggestion.keys()).isCloseTo(1_000_000, Percentage.withPercentage(3));
        assertThat(suggestion.limit()).isBetween(940L, 960L);
        assertThat(suggestion.requests()).isEqualTo(1_000_000);
    }
}
