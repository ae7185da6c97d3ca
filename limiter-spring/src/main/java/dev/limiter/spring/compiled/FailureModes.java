package dev.limiter.spring.compiled;

import dev.limiter.OnFailure;
import dev.limiter.Rule;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The way of each rule to go on while a storage that all instances share does not decide, by the rules in force.
 * Thread-safe.
 */
public final class FailureModes implements Function<Rule, OnFailure> {

    private final Supplier<Rules> rules;
    private final OnFailure otherwise;

    /** {@code otherwise}: of rules that do not say. */
    public FailureModes(Supplier<Rules> rules, OnFailure otherwise) {
        this.rules = rules;
        this.otherwise = otherwise;
    }

    /** Bans go on in memory, for any failure mode of their rule: an outage bans no client. */
    @Override
    public OnFailure apply(Rule rule) {
        return Ban.isPart(rule)
                ? OnFailure.LOCAL
                : rules.get().current().onFailure(rule.name()).orElse(otherwise);
    }
}
