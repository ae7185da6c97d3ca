package dev.limiter.spring.operate.series;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.operate.DecisionCounts;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecisionSeriesTests {

    private final DecisionCounts counts = new DecisionCounts();
    private final AtomicInteger waiting = new AtomicInteger();
    private final ToLongFunction<String> waitingOfRule = rule -> rule.equals("orders") ? waiting.get() : 0;
    private final DecisionSeries series = new DecisionSeries(counts, waiting::get, waitingOfRule, () -> "");

    private void decide(String rule, Outcome outcome, int times) {
        for (int i = 0; i < times; i++) {
            counts.count(rule, "GET /", outcome);
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
                .containsEntry("refused", new long[] {2, 1})
                .containsEntry("waiting", new long[] {4, 0});
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
        DecisionSeries later = new DecisionSeries(counts);
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

    /** Another instance, with counts of its own. */
    private static final class Other {

        private final DecisionCounts counts = new DecisionCounts();
        private int waiting;
        private final DecisionSeries series =
                new DecisionSeries(counts, () -> waiting, rule -> 0, () -> "other <b>:8080");

        String decide(String rule, Outcome outcome, int times) {
            for (int i = 0; i < times; i++) {
                counts.count(rule, "GET /", outcome);
            }
            return series.share();
        }
    }

    @SuppressWarnings("unchecked")
    private Map<String, Map<String, Object>> instances() {
        Map<String, Map<String, Object>> byRun =
                (Map<String, Map<String, Object>>) series.after(0).get("instances");
        return byRun.values().stream()
                .collect(Collectors.toMap(instance -> (String) instance.get("name"), Function.identity()));
    }

    @Test
    void sumsWhatInstancesTellAndShowsEach() {
        Other other = new Other();
        other.waiting = 2;
        String told = other.decide("a rule\twith\nlines", Outcome.PERMITTED, 5);
        decide("orders", Outcome.PERMITTED, 3);
        waiting.set(1);
        series.share();
        series.hear(told);
        series.hear(told);
        series.hear(other.decide("orders", Outcome.REJECTED, 4));
        series.share();

        assertThat(rules(0).get("orders"))
                .containsEntry("permitted", new long[] {3, 0})
                .containsEntry("refused", new long[] {0, 4});
        assertThat(rules(0).get("a rule\twith\nlines")).containsEntry("permitted", new long[] {0, 5});
        assertThat(series.after(0)).containsEntry("waiting", new long[] {1, 3});
        assertThat(series.after(0).get("all"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("permitted", new long[] {3, 5});
        assertThat(instances().get("other <b>:8080"))
                .containsEntry("own", false)
                .containsEntry("permitted", new long[] {0, 5})
                .containsEntry("refused", new long[] {0, 4})
                .containsEntry("waiting", new long[] {0, 2});
        assertThat(instances().get(""))
                .containsEntry("own", true)
                .containsEntry("permitted", new long[] {3, 0})
                .containsEntry("waiting", new long[] {1, 1});
    }

    @Test
    @SuppressWarnings("unchecked")
    void tellsTheResourcesOfARule() {
        Other other = new Other();
        decide("orders", Outcome.PERMITTED, 2);
        series.share();
        counts.count("orders", "POST /\n\t", Outcome.REJECTED);
        other.counts.count("orders", "POST /\n\t", Outcome.PERMITTED);
        series.hear(other.decide("orders", Outcome.PERMITTED, 3));
        series.share();

        Map<String, Map<String, Object>> resources =
                (Map<String, Map<String, Object>>) rules(0).get("orders").get("resources");
        assertThat(resources).containsOnlyKeys("GET /", "POST /\n\t");
        assertThat(resources.get("GET /")).containsEntry("permitted", new long[] {2, 3});
        assertThat(resources.get("POST /\n\t"))
                .containsEntry("permitted", new long[] {0, 1})
                .containsEntry("refused", new long[] {0, 1});
        assertThat(rules(0).get("orders")).containsEntry("permitted", new long[] {2, 4});
        assertThat(series.after(0).get("all"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("permitted", new long[] {2, 4});
    }

    @Test
    void forgetsInstancesThatTellNothing() {
        Other other = new Other();
        other.waiting = 2;
        series.hear(other.decide("orders", Outcome.PERMITTED, 1));
        for (int i = 0; i < DecisionSeries.GONE_AFTER; i++) {
            series.share();
        }
        assertThat(instances()).hasSize(2);
        assertThat((long[]) series.after(0).get("waiting"))
                .startsWith(2, 2, 2, 0)
                .endsWith(0);
        series.share();
        assertThat(instances()).hasSize(1);
        assertThat(series.after(0).get("all"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .extractingByKey("permitted", InstanceOfAssertFactories.LONG_ARRAY)
                .startsWith(1, 0);
    }

    @Test
    void thoseThatWaitForARuleAreThoseOfTheLastSampleHeard() {
        series.hear("run\tname\t1\t4\norders\t1\t0\t4");
        series.hear("run\tname\t2\t3\norders\t1\t0\t3");
        decide("orders", Outcome.SKIPPED, 1);
        waiting.set(1);
        for (int i = 0; i < 5; i++) {
            series.share();
        }
        assertThat(rules(0).get("orders"))
                .containsEntry("permitted", new long[] {2, 0, 0, 0, 0})
                .containsEntry("waiting", new long[] {4, 4, 4, 1, 1});
        assertThat(series.after(0)).containsEntry("waiting", new long[] {4, 4, 4, 1, 1});
    }

    @Test
    void tellsThoseWithTheMostDecisionsAndTheSumOfAllOthers() {
        Other other = new Other();
        for (int i = 0; i < 500; i++) {
            other.counts.count("x".repeat(1000) + i, "GET /", Outcome.PERMITTED);
        }
        String told = other.decide("busy", Outcome.PERMITTED, 3);
        assertThat(told).hasSizeLessThan(32_768);
        series.hear(told);
        series.share();
        assertThat(rules(0)).containsKey("busy").doesNotContainKey("");
        assertThat(series.after(0).get("all"))
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("permitted", new long[] {503});
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "run",
                "run\tname\t1",
                "run\tname\tx\t0",
                "run\tname\t1\t0\nrule\t1\t0",
                "run\tname\t1\t0\nrule\t-1\t0\t0",
                "run\tname\t1\t0\nrule\t9999999999999999999\t0\t0",
                "run\tname\t1\t0\n%zz\t1\t0\t0",
                "{\"run\": 1}"
            })
    void ignoresWhatNoInstanceWouldTell(String text) {
        series.hear(text);
        series.hear("y".repeat(100_000));
        series.share();
        assertThat(instances()).hasSize(1);
        assertThat(rules(0)).isEmpty();
    }

    @Test
    void hearsABoundedNumberOfInstances() {
        for (int i = 0; i < 1000; i++) {
            series.hear("run" + i + "\tname" + i + "\t1\t0\norders\t1\t0\t0");
        }
        series.share();
        assertThat(instances()).hasSize(DecisionSeries.MOST_INSTANCES + 1);
    }
}
