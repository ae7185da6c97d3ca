package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.operate.series.DecisionSeries;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DecisionCountsTests {

    private final DecisionCounts counts = new DecisionCounts();

    private void decide(String rule, Outcome outcome, int times) {
        for (int i = 0; i < times; i++) {
            counts.count(rule, "GET /", outcome);
        }
    }

    private void passMinutes(int minutes) {
        IntStream.range(0, minutes * RecentMinutes.SAMPLES_PER_MINUTE).forEach(i -> counts.sample());
    }

    @Test
    void recentOnesAreForgottenAfterFiveToSixMinutes() {
        decide("orders", Outcome.PERMITTED, 3);
        passMinutes(1);
        decide("orders", Outcome.PERMITTED, 4);
        decide("orders", Outcome.REJECTED, 1);
        assertThat(counts.recent("orders")).isEqualTo(Map.of("permitted", 7L, "rejected", 1L));

        passMinutes(RecentMinutes.WHOLE);
        assertThat(counts.recent("orders")).isEqualTo(Map.of("permitted", 4L, "rejected", 1L));

        passMinutes(1);
        decide("late", Outcome.SKIPPED, 2);
        assertThat(counts.recent("orders")).isEmpty();
        assertThat(counts.recent("late")).isEqualTo(Map.of("skipped", 2L));
        assertThat(counts.of("orders")).isEqualTo(Map.of("permitted", 7L, "rejected", 1L));
    }

    @Test
    void areOfARuleWhateverTheResource() {
        decide("orders", Outcome.PERMITTED, 1);
        counts.count("orders", "POST /", Outcome.PERMITTED);

        assertThat(counts.of("orders")).isEqualTo(Map.of("permitted", 2L));
        assertThat(counts.recent("unknown")).isEmpty();
    }

    /** Every decision is in one sample, and in the minutes until it is forgotten. */
    @Test
    void loseNothingThatIsDecidedWhileSamplesAreTaken() {
        DecisionSeries series = new DecisionSeries(counts);
        int threads = 4;
        int times = 300_000;
        CompletableFuture<Void> decided = CompletableFuture.allOf(Stream.generate(
                        () -> CompletableFuture.runAsync(() -> decide("orders", Outcome.PERMITTED, times)))
                .limit(threads)
                .toArray(CompletableFuture[]::new));
        long sampled = 0;
        long samples = 0;
        boolean last;
        do {
            last = decided.isDone();
            series.sample();
            if (samples < RecentMinutes.SAMPLES_PER_MINUTE * RecentMinutes.WHOLE) {
                counts.sample();
            }
            sampled += lastSample(series, samples++);
        } while (!last);

        assertThat(sampled).isEqualTo((long) threads * times);
        assertThat(counts.recent("orders")).isEqualTo(counts.of("orders")).isEqualTo(Map.of("permitted", sampled));
    }

    private static long lastSample(DecisionSeries series, long after) {
        Map<?, ?> all = (Map<?, ?>) series.after(after).get("all");
        return LongStream.of((long[]) all.get("permitted")).sum();
    }
}
