package dev.limiter.spring.operate;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.decide.DecisionMeter;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.PerOutcome;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the outcomes of each rule since the application started. Those of the last minutes are the difference to a
 * sample of these counts, so that a decision pays nothing for them, and none is lost. Thread-safe.
 */
public final class DecisionCounts implements DecisionMeter {

    /** A decision is counted once. */
    private final PerOutcome<LongAdder> counts = new PerOutcome<>((rule, resource, outcome) -> new LongAdder());

    /** Where the counts of each rule stood when a minute began. */
    private final RecentMinutes<Map<String, Map<Outcome, Long>>> minutes = new RecentMinutes<>(this::sums);

    @Override
    public void count(
            RateLimitRule rule,
            String resource,
            Outcome outcome,
            @Nullable Charge charge,
            @Nullable Decision decision,
            Duration waited) {
        count(rule.name(), resource, outcome);
    }

    /** Counts a decision of the rule of that name. */
    public void count(String rule, String resource, Outcome outcome) {
        counts.get(rule, resource, outcome).increment();
    }

    /** Begins another minute when it is time. Called once a second. */
    public void sample() {
        minutes.sample();
    }

    private Map<String, Map<Outcome, Long>> sums() {
        Map<String, Map<Outcome, Long>> sums = new HashMap<>();
        counts.rules().forEach(rule -> sums.put(rule, sums(rule)));
        return sums;
    }

    /** Of a rule that has decided nothing yet, none. */
    private Map<Outcome, Long> sums(String rule) {
        Map<Outcome, Long> sums = new EnumMap<>(Outcome.class);
        counts.of(rule)
                .values()
                .forEach(outcomes -> outcomes.forEach((outcome, count) -> sums.merge(outcome, count.sum(), Long::sum)));
        return sums;
    }

    /** The outcomes of a rule by resource, each as {@link #of} shows those of all. */
    public Map<String, Map<String, Long>> byResource(String rule) {
        Map<String, Map<String, Long>> body = new TreeMap<>();
        counts.of(rule).forEach((resource, counted) -> {
            Map<String, Long> outcomes = new LinkedHashMap<>();
            new TreeMap<>(counted).forEach((outcome, count) -> outcomes.put(outcome.tag(), count.sum()));
            body.put(resource, outcomes);
        });
        return body;
    }

    /** The outcomes of the rule of exactly that name, by their names in metrics. */
    public Map<String, Long> of(String rule) {
        return since(rule, Map.of());
    }

    /** The outcomes of the last five to six minutes, as {@link #of} shows those since the start. */
    public Map<String, Long> recent(String rule) {
        return since(rule, minutes.all().get(0).getOrDefault(rule, Map.of()));
    }

    private Map<String, Long> since(String rule, Map<Outcome, Long> before) {
        Map<String, Long> since = new LinkedHashMap<>();
        sums(rule).forEach((outcome, sum) -> {
            long count = sum - before.getOrDefault(outcome, 0L);
            if (count > 0) {
                since.put(outcome.tag(), count);
            }
        });
        return since;
    }
}
