package dev.limiter.spring.compiled;

import dev.limiter.Rule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.rule.RuleName;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The limits that apply instead of a rule's own, by the tier of the caller. To the core they are rules of the same
 * name, so that a key keeps what it used when its tier changes. Immutable, thread-safe.
 */
public final class Tiers {

    /** The longest name of a tier: longer values from clients are not looked up. */
    private static final int MAX_LENGTH = 256;

    private final @Nullable KeyResolver by;
    private final Map<String, Rule> rules;
    private final Map<String, Optional<Rule>> bySpelling = new HashMap<>();

    /**
     * @param by null if only a {@code limit-resolver} names tiers
     * @param rules name to limits, not to be changed
     * @param unlimited the names of tiers without limits
     */
    public Tiers(@Nullable KeyResolver by, Map<String, Rule> rules, Set<String> unlimited) {
        this.by = by;
        this.rules = Collections.unmodifiableMap(rules);
        rules.forEach((name, rule) -> bySpelling.put(RuleName.canonical(name), Optional.of(rule)));
        unlimited.forEach(name -> bySpelling.put(RuleName.canonical(name), Optional.empty()));
    }

    /** The limits of each tier by its name, as configured. */
    public Map<String, Rule> rules() {
        return rules;
    }

    /**
     * The limits for this request or call; null if there are none.
     *
     * @param own for requests of unknown tier
     * @throws dev.limiter.spring.expression.RuleEvaluationException if the tier cannot be evaluated
     */
    @Nullable
    Rule select(RateLimitContext context, Rule own) {
        String tier = by == null ? null : by.resolve(context);
        Optional<Rule> known = tier == null ? null : named(tier);
        return known == null ? own : known.orElse(null);
    }

    /** The limits of a tier, which are absent if it is unlimited; null if there is no tier of this name. */
    @Nullable
    Optional<Rule> named(String tier) {
        return tier.isEmpty() || tier.length() > MAX_LENGTH ? null : bySpelling.get(RuleName.canonical(tier));
    }
}
