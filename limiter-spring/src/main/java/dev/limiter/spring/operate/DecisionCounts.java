package dev.limiter.spring.operate;

import dev.limiter.TimeSource;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of each rule since the application started, and of the last minutes. Thread-safe. */
public final class DecisionCounts implements RateLimitListener {

    private final ConcurrentMap<String, OfRule> rules = new ConcurrentHashMap<>();
    private final TimeSource clock;

    private record OfRule(Map<Outcome, LongAdder> total, RecentMinutes<Map<Outcome, LongAdder>> minutes) {}

    public DecisionCounts(TimeSource clock) {
        this.clock = clock;
    }

    @Override
    public void onDecision(RateLimitEvent event) {
        OfRule known = rules.get(event.rule());
        if (known == null) {
            known = rules.computeIfAbsent(
                    event.rule(), rule -> new OfRule(zeros(), new RecentMinutes<>(clock, DecisionCounts::zeros)));
        }
        count(known.total(), event.outcome());
        count(known.minutes().current(), event.outcome());
    }

    private static void count(Map<Outcome, LongAdder> counts, Outcome outcome) {
        LongAdder count = counts.get(outcome);
        if (count != null) {
            count.increment();
        }
    }

    private static Map<Outcome, LongAdder> zeros() {
        Map<Outcome, LongAdder> zeros = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            zeros.put(outcome, new LongAdder());
        }
        return zeros;
    }

    /** The outcomes of the rule of exactly that name, by their names in metrics. */
    public Map<String, Long> of(String rule) {
        OfRule known = rules.get(rule);
        return known == null ? Map.of() : sums(List.of(known.total()));
    }

    /** The names of all rules that have decided anything. */
    public Set<String> names() {
        return Set.copyOf(rules.keySet());
    }

    /** How many decisions of a rule had one of these outcomes. */
    public long sum(String rule, Set<Outcome> outcomes) {
        OfRule known = rules.get(rule);
        long sum = 0;
        if (known != null) {
            for (Map.Entry<Outcome, LongAdder> count : known.total().entrySet()) {
                sum += outcomes.contains(count.getKey()) ? count.getValue().sum() : 0;
            }
        }
        return sum;
    }

    /** The outcomes of the last five to six minutes, as {@link #of} shows those since the start. */
    public Map<String, Long> recent(String rule) {
        OfRule known = rules.get(rule);
        return known == null ? Map.of() : sums(known.minutes().all());
    }

    private static Map<String, Long> sums(List<Map<Outcome, LongAdder>> all) {
        Map<String, Long> sums = new LinkedHashMap<>();
        for (Map<Outcome, LongAdder> counts : all) {
            counts.forEach((outcome, count) -> {
                long sum = count.sum();
                if (sum > 0) {
                    sums.merge(outcome.tag(), sum, Long::sum);
                }
            });
        }
        return sums;
    }
}
