package dev.limiter.spring.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The recent counts that operators see are complete. */
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
    void loseNothingThatIsDecidedWhileSamplesAreTaken() {
        int threads = 4;
        int times = 300_000;
        int samples = RecentMinutes.SAMPLES_PER_MINUTE * RecentMinutes.WHOLE;
        CompletableFuture<Void> decided = CompletableFuture.allOf(Stream.generate(
                        () -> CompletableFuture.runAsync(() -> decide("orders", Outcome.PERMITTED, times)))
                .limit(threads)
                .toArray(CompletableFuture[]::new));
        for (int i = 0; i < samples; i++) {
            long soMany = (long) threads * times * i / samples;
            while (counts.of("orders").getOrDefault("permitted", 0L) < soMany) {
                Thread.onSpinWait();
            }
            counts.sample();
        }
        decided.join();

        assertThat(counts.recent("orders"))
                .isEqualTo(counts.of("orders"))
                .isEqualTo(Map.of("permitted", (long) threads * times));
    }
}
