package dev.limiter.spring.operate.series;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.operate.DecisionCounts;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class DecisionSeriesTests {

    private final DecisionCounts counts = new DecisionCounts();
    private final AtomicInteger waiting = new AtomicInteger();
    private final DecisionSeries series = new DecisionSeries(counts, waiting::get);

    private void decide(String rule, Outcome outcome, int times) {
        for (int i = 0; i < times; i++) {
            counts.tally(rule, "GET /", outcome).add(null, Duration.ZERO);
        }
    }

    @SuppressWarnings("unchecked")
    private Map<String, Map<String, Object>> rules(long after) {
        return (Map<String, Map<String, Object>>) series.after(after).get("rules");
    }

    @Test
    void countsEachDecisionInOneSample() {
        decide("orders", Outcome.PERMITTED, 3);
        decide("orders", Outcome.REJECTED, 2);
        decide("orders", Outcome.SKIPPED, 5);
        waiting.set(4);
        series.sample();
        decide("orders", Outcome.BANNED, 1);
        waiting.set(0);
        series.sample();

        assertThat(rules(0).get("orders"))
                .containsEntry("permitted", new long[] {3, 0})
                .containsEntry("refused", new long[] {2, 1});
        assertThat(rules(1).get("orders")).containsEntry("refused", new long[] {1});
        assertThat(series.after(0)).containsEntry("sample", 2L).containsEntry("waiting", new long[] {4, 0});
    }

    @Test
    void tellsNothingTwiceNorOfTheFuture() {
        decide("orders", Outcome.PERMITTED, 1);
        series.sample();

        assertThat(rules(1).get("orders")).containsEntry("permitted", new long[] {});
        assertThat(rules(Long.MAX_VALUE).get("orders")).containsEntry("permitted", new long[] {});
        assertThat(rules(Long.MIN_VALUE).get("orders")).containsEntry("permitted", new long[] {1});
    }

    @Test
    void beginsWhereTheCountsStand() {
        decide("orders", Outcome.PERMITTED, 7);
        DecisionSeries later = new DecisionSeries(counts, () -> 0);
        later.sample();

        assertThat(later.after(0))
                .extractingByKey("rules", InstanceOfAssertFactories.MAP)
                .isEmpty();
    }

    @Test
    void hasBusierRulesReplaceQuieterOnesAndCountsAllTogether() {
        for (int i = 0; i < 2000; i++) {
            decide("rule-" + i, Outcome.PERMITTED, 1);
        }
        series.sample();
        decide("busy", Outcome.REJECTED, 2);
        series.sample();

        assertThat(rules(0)).hasSize(DecisionSeries.MOST_RULES).containsKey("busy");
        assertThat(rules(0).get("busy")).containsEntry("refused", new long[] {0, 2});
        assertThat(series.after(0).get("all"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("permitted", new long[] {2000, 0})
                .containsEntry("refused", new long[] {0, 2});
    }
}
