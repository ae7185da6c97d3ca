package dev.limiter.spring.operate;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of each rule since the application started. Thread-safe. */
public final class DecisionCounts implements RateLimitListener {

    private final ConcurrentMap<String, Map<Outcome, LongAdder>> rules = new ConcurrentHashMap<>();

    @Override
    public void onDecision(RateLimitEvent event) {
        Map<Outcome, LongAdder> known = rules.get(event.rule());
        if (known == null) {
            known = rules.computeIfAbsent(event.rule(), rule -> zeros());
        }
        LongAdder count = known.get(event.outcome());
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
        Map<String, Long> counts = new LinkedHashMap<>();
        rules.getOrDefault(rule, Map.of()).forEach((outcome, count) -> {
            long sum = count.sum();
            if (sum > 0) {
                counts.put(outcome.tag(), sum);
            }
        });
        return counts;
    }
}
