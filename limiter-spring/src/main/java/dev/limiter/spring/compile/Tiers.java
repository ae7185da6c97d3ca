package dev.limiter.spring.compile;

import dev.limiter.Rule;
import dev.limiter.spring.context.RateLimitContext;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.LogText;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.key.KeyResolver;
import dev.limiter.spring.rule.RuleName;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The limits of each tier, which replace the rule's own limits. They are core rules of the same name, so a key keeps
 * its used permits when its tier changes. Thread-safe.
 */
final class Tiers {

    /** The longest name of a tier; longer values from clients are ignored. */
    private static final int MAX_LENGTH = 256;

    /** The most unknown names that are logged, because clients may invent them. */
    private static final int MOST_UNKNOWN = 100;

    private static final Log logger = LogFactory.getLog(Tiers.class);

    private final String where;
    private final @Nullable KeyResolver by;
    private final Map<String, Rule> rules;
    private final Map<String, Optional<Rule>> bySpelling = new HashMap<>();
    private final Set<String> names;
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();

    /**
     * @param where the property that holds the tiers, for messages
     * @param by null if only a {@code limit-resolver} names tiers
     * @param rules limits by name, not modified afterwards
     * @param unlimited the names of tiers without limits
     */
    public Tiers(String where, @Nullable KeyResolver by, Map<String, Rule> rules, Set<String> unlimited) {
        this.where = where;
        this.by = by;
        this.rules = Collections.unmodifiableMap(rules);
        rules.forEach((name, rule) -> bySpelling.put(RuleName.canonical(name), Optional.of(rule)));
        names = new TreeSet<>(rules.keySet());
        names.addAll(unlimited);
        unlimited.forEach(name -> bySpelling.put(RuleName.canonical(name), Optional.empty()));
    }

    /** Returns the limits of each tier by its configured name. */
    public Map<String, Rule> rules() {
        return rules;
    }

    /**
     * Returns the limits for a request or call; null if its tier is unlimited.
     *
     * @param own the limits for requests without a known tier
     * @throws dev.limiter.spring.expression.RuleEvaluationException if the tier cannot be evaluated
     */
    @Nullable
    Rule select(RateLimitContext context, Rule own) {
        String tier = by == null ? null : by.resolve(context);
        if (tier == null || tier.isEmpty() || tier.length() > MAX_LENGTH) {
            return own;
        }
        Optional<Rule> known = named(tier);
        if (known == null) {
            reportUnknown(tier);
            return own;
        }
        return known.orElse(null);
    }

    /**
     * Reports an unknown tier, once for each name. Warns only if it looks misspelled: a plan without a tier may be
     * intended.
     */
    private void reportUnknown(String tier) {
        if (unknown.size() < MOST_UNKNOWN && unknown.add(tier)) {
            String meant = DidYouMean.ask(tier, names);
            String message = where + " has no tier \"" + LogText.escape(tier) + "\", so the rule's own limits apply"
                    + " to its requests." + meant + " ["
                    + MessageCode.UNKNOWN_TIER + "]";
            if (meant.isEmpty()) {
                logger.info(message);
            } else {
                logger.warn(message);
            }
        }
    }

    /** Returns the limits of a tier, empty if it is unlimited; null if no tier has this name. */
    @Nullable
    Optional<Rule> named(String tier) {
        return tier.isEmpty() || tier.length() > MAX_LENGTH ? null : bySpelling.get(RuleName.canonical(tier));
    }
}
