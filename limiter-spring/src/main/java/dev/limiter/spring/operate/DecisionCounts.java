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
 * Counts the outcomes of each rule since the application started. Recent counts are the difference to a sample, so they
 * cost nothing per decision, and no decision is lost. Thread-safe.
 */
public final class DecisionCounts implements DecisionMeter {

    private final PerOutcome<LongAdder> counts = new PerOutcome<>((rule, resource, outcome) -> new LongAdder());

    /** The counts of each rule at the start of each minute. */
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

    /** Counts a decision of a rule. */
    public void count(String rule, String resource, Outcome outcome) {
        counts.get(rule, resource, outcome).increment();
    }

    /** Starts another minute when it is time. Called once a second. */
    public void sample() {
        minutes.sample();
    }

    private Map<String, Map<Outcome, Long>> sums() {
        Map<String, Map<Outcome, Long>> sums = new HashMap<>();
        counts.rules().forEach(rule -> sums.put(rule, sums(rule)));
        return sums;
    }

    /** Returns the counts of a rule; empty without decisions. */
    private Map<Outcome, Long> sums(String rule) {
        Map<Outcome, Long> sums = new EnumMap<>(Outcome.class);
        counts.of(rule)
                .values()
                .forEach(outcomes -> outcomes.forEach((outcome, count) -> sums.merge(outcome, count.sum(), Long::sum)));
        return sums;
    }

    /** Returns the outcomes of a rule by resource, in the form of {@link #of}. */
    public Map<String, Map<String, Long>> byResource(String rule) {
        Map<String, Map<String, Long>> body = new TreeMap<>();
        counts.of(rule).forEach((resource, counted) -> {
            Map<String, Long> outcomes = new LinkedHashMap<>();
            new TreeMap<>(counted).forEach((outcome, count) -> outcomes.put(outcome.tag(), count.sum()));
            body.put(resource, outcomes);
        });
        return body;
    }

    /** Returns the outcomes of the rule with exactly this name, by tag. */
    public Map<String, Long> of(String rule) {
        return since(rule, Map.of());
    }

    /** Returns the outcomes of the last five to six minutes, in the form of {@link #of}. */
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
