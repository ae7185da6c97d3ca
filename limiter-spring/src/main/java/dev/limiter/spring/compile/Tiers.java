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
 * The limits that apply instead of a rule's own, by the tier of the caller. To the core they are rules of the same
 * name, so that a key keeps what it used when its tier changes. Immutable, thread-safe.
 */
final class Tiers {

    /** The longest name of a tier: longer values from clients are not looked up. */
    private static final int MAX_LENGTH = 256;

    /** The most unknown names in the log: they may come from clients. */
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
     * @param rules name to limits, not to be changed
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

    /** Once for each name. A plan without a tier may be intended, a misspelled one is not. */
    private void reportUnknown(String tier) {
        if (unknown.size() < MOST_UNKNOWN && unknown.add(tier)) {
            String meant = DidYouMean.ask(tier, names);
            String message = where + " has no tier \"" + LogText.escape(tier)
                    + "\"; the rule's own limits apply to its requests." + meant + " ["
                    + MessageCode.UNKNOWN_TIER + "]";
            if (meant.isEmpty()) {
                logger.info(message);
            } else {
                logger.warn(message);
            }
        }
    }

    /** The limits of a tier, which are absent if it is unlimited; null if there is no tier of this name. */
    @Nullable
    Optional<Rule> named(String tier) {
        return tier.isEmpty() || tier.length() > MAX_LENGTH ? null : bySpelling.get(RuleName.canonical(tier));
    }
}
