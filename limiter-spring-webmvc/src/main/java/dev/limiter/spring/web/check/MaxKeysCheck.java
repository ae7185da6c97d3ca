package dev.limiter.spring.web.check;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.web.route.ServedPatterns;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Finds a {@code max-keys} that one client alone can fill, with a bucket for each endpoint. The number of clients is
 * unknown at the start.
 */
public final class MaxKeysCheck implements StartupCheck {

    private final Rules rules;
    private final ObjectProvider<HandlerMapping> mappings;
    private final long maxKeys;

    /** {@code maxKeys}: how many buckets are remembered, for all clients together. */
    public MaxKeysCheck(Rules rules, ObjectProvider<HandlerMapping> mappings, long maxKeys) {
        this.rules = rules;
        this.mappings = mappings;
        this.maxKeys = maxKeys;
    }

    @Override
    public List<Finding> findings() {
        RuleSet ruleSet = rules.current();
        ServedPatterns endpoints = new ServedPatterns(mappings.stream());
        long buckets = ruleSet.defaultLimit().map(rule -> endpoints.count()).orElse(0L);
        buckets += ruleSet.pathRules().stream()
                .filter(rule -> rule.mode() != Mode.OFF)
                .mapToLong(rule -> rule.scope() == Scope.ENDPOINT ? endpoints.countUnder(rule, ruleSet) : 1)
                .sum();
        return buckets <= maxKeys
                ? List.of()
                : List.of(new Finding(
                        MessageCode.MAX_KEYS,
                        "limiter.max-keys = " + maxKeys + ": one client that uses all endpoints has about " + buckets
                                + " buckets already. Raise limiter.max-keys to that many for each client at a time."));
    }
}
