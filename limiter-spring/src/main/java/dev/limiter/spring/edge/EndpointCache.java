package dev.limiter.spring.edge;

import dev.limiter.spring.compile.RuleSet;
import dev.limiter.spring.compile.Rules;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * Remembers endpoints until the rules change. Bounded: invented URLs and methods never make it grow. Thread-safe.
 *
 * @param <R> what identifies an endpoint
 */
public final class EndpointCache<R> {

    private static final int MAX_ENDPOINTS = 10_000;

    private record OfRules<R>(RuleSet ruleSet, ConcurrentMap<R, Endpoint> endpoints) {}

    private final Rules rules;
    private volatile OfRules<R> cached;

    public EndpointCache(Rules rules) {
        this.rules = rules;
        this.cached = new OfRules<>(rules.current(), new ConcurrentHashMap<>());
    }

    /** Returns the endpoint, which {@code create} makes for a set of rules the first time. */
    public Endpoint get(R route, Function<RuleSet, Endpoint> create) {
        RuleSet ruleSet = rules.current();
        OfRules<R> current = cached;
        if (current.ruleSet != ruleSet) {
            current = new OfRules<>(ruleSet, new ConcurrentHashMap<>());
            cached = current;
        }
        Endpoint known = current.endpoints.get(route);
        if (known != null) {
            return known;
        }
        Endpoint endpoint = create.apply(ruleSet);
        if (current.endpoints.size() < MAX_ENDPOINTS) {
            current.endpoints.put(route, endpoint);
        }
        return endpoint;
    }
}
