package dev.limiter.spring.operate;

import dev.limiter.spring.decide.CountingListener;
import dev.limiter.spring.decide.Outcome;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the outcomes of each rule since the application started. Those of the last minutes are the difference to a
 * sample of these counts, so that a decision pays nothing for them, and none is lost. Thread-safe.
 */
public final class DecisionCounts implements CountingListener {

    /** The counts by rule and resource: a decision is counted once. */
    private final ConcurrentMap<String, ConcurrentMap<String, ConcurrentMap<Outcome, LongAdder>>> rules =
            new ConcurrentHashMap<>();

    /** Where the counts of each rule stood when a minute began. */
    private final RecentMinutes<Map<String, Map<Outcome, Long>>> minutes = new RecentMinutes<>(this::sums);

    @Override
    public Tally tally(String rule, String resource, Outcome outcome) {
        LongAdder count = rules.computeIfAbsent(rule, name -> new ConcurrentHashMap<>())
                .computeIfAbsent(resource, name -> new ConcurrentHashMap<>())
                .computeIfAbsent(outcome, unknown -> new LongAdder());
        return (by, charge, part, waited) -> count.increment();
    }

    /** Begins another minute when it is time. Called once a second. */
    public void sample() {
        minutes.sample();
    }

    private Map<String, Map<Outcome, Long>> sums() {
        Map<String, Map<Outcome, Long>> sums = new HashMap<>();
        rules.keySet().forEach(rule -> sums.put(rule, sums(rule)));
        return sums;
    }

    /** Of a rule that has decided nothing yet, none. */
    private Map<Outcome, Long> sums(String rule) {
        Map<Outcome, Long> sums = new EnumMap<>(Outcome.class);
        resources(rule)
                .values()
                .forEach(counts -> counts.forEach((outcome, count) -> sums.merge(outcome, count.sum(), Long::sum)));
        return sums;
    }

    private Map<String, ? extends Map<Outcome, LongAdder>> resources(String rule) {
        Map<String, ? extends Map<Outcome, LongAdder>> known = rules.get(rule);
        return known == null ? Map.of() : known;
    }

    /** The outcomes of a rule by resource, each as {@link #of} shows those of all. */
    public Map<String, Map<String, Long>> byResource(String rule) {
        Map<String, Map<String, Long>> body = new TreeMap<>();
        resources(rule).forEach((resource, counts) -> {
            Map<String, Long> outcomes = new LinkedHashMap<>();
            new TreeMap<>(counts).forEach((outcome, count) -> outcomes.put(outcome.tag(), count.sum()));
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
