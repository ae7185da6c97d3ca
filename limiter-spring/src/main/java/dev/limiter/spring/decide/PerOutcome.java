package dev.limiter.spring.decide;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** A lazily created value for each rule, resource and outcome. Thread-safe. */
public final class PerOutcome<T> {

    private final ConcurrentMap<String, ConcurrentMap<String, ConcurrentMap<Outcome, T>>> rules =
            new ConcurrentHashMap<>();
    private final Factory<? extends T> factory;

    /** Creates a value. */
    @FunctionalInterface
    public interface Factory<T> {
        T create(String rule, String resource, Outcome outcome);
    }

    public PerOutcome(Factory<? extends T> factory) {
        this.factory = factory;
    }

    public T get(String rule, String resource, Outcome outcome) {
        ConcurrentMap<String, ConcurrentMap<Outcome, T>> resources = rules.get(rule);
        ConcurrentMap<Outcome, T> outcomes = resources == null ? null : resources.get(resource);
        T known = outcomes == null ? null : outcomes.get(outcome);
        return known == null ? create(rule, resource, outcome) : known;
    }

    private T create(String rule, String resource, Outcome outcome) {
        return rules.computeIfAbsent(rule, name -> new ConcurrentHashMap<>())
                .computeIfAbsent(resource, name -> new ConcurrentHashMap<>())
                .computeIfAbsent(outcome, missing -> factory.create(rule, resource, outcome));
    }

    /** Returns the names of all rules that have a value. */
    public Set<String> rules() {
        return Set.copyOf(rules.keySet());
    }

    /** Returns the values of a rule by resource and outcome. */
    public Map<String, ? extends Map<Outcome, T>> of(String rule) {
        Map<String, ConcurrentMap<Outcome, T>> known = rules.get(rule);
        return known == null ? Map.of() : known;
    }
}
