package dev.limiter.spring.compile;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.rule.ChangeOrigin;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Mode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Settings;
import dev.limiter.spring.rule.TiersDefinition;
import dev.limiter.spring.rule.TiersDefinition.Tier;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes a rule of the candidate of another one: the same requests with other limits, which only watches. */
public final class CandidateRules {

    static final String SUFFIX = "-candidate";

    /** The name of the rule beside which a candidate is tried. */
    static final Option<String> LIVE = Option.of("live");

    private CandidateRules() {}

    /**
     * The rule of the candidate; null if the rule has none.
     *
     * @throws LimiterConfigurationException if it does not fit the rule
     */
    public static @Nullable RuleDefinition of(RuleDefinition live) {
        Tier candidate = live.value(TiersDefinition.CANDIDATE);
        if (candidate == null) {
            return null;
        }
        String where = candidate.limit().where();
        RuleOrigin origin = RuleOrigin.property(where);
        boolean empty = candidate.limit().isEmpty()
                && (candidate.limits() == null || candidate.limits().isEmpty());
        if (empty || candidate.unlimited()) {
            throw problem(where, "Say what is different in it, such as limit: 1000.");
        }
        if (live.get(RuleOptions.LIMIT_RESOLVER) != null && candidate.limit().get(LimitOptions.LIMIT) == null) {
            throw problem(
                    where,
                    "The limits of keys come from limit-resolver, which the candidate takes the place of. Say limit,"
                            + " such as limit: 1000, for all keys.");
        }
        candidate.costs().findFirst().ifPresent(cost -> {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.CANDIDATE,
                    cost.where(),
                    cost.value(),
                    "A candidate changes how much there is. A request costs the same in it."));
        });
        Settings settings = live.settings()
                .without(TiersDefinition.CANDIDATE)
                .without(RuleOptions.LIMIT_RESOLVER)
                .without(RuleOptions.LIMIT_CACHE)
                .without(RuleOptions.ENFORCE)
                .without(ChangeOrigin.OVERRIDES)
                .with(RuleOptions.MODE, Mode.SHADOW.weaker(live.value(RuleOptions.MODE, Mode.SHADOW)), origin)
                .with(LIVE, live.name(), origin);
        return new RuleDefinition(
                live.name() + SUFFIX,
                origin,
                limit(live, candidate, where),
                limits(live, candidate, where),
                live.tiers(),
                null,
                settings);
    }

    private static LimitDefinition limit(RuleDefinition live, Tier candidate, String where) {
        if (live.limits() != null && !candidate.limit().isEmpty()) {
            throw problem(
                    where,
                    "The rule has named limits. Say which of them is different: limits: { "
                            + live.limits().keySet().iterator().next() + ": { limit: 1000 } }.");
        }
        return live.limits() == null ? candidate.limit().over(live.limit()) : live.limit();
    }

    private static @Nullable Map<String, LimitDefinition> limits(RuleDefinition live, Tier candidate, String where) {
        if (live.limits() == null) {
            if (candidate.limits() != null) {
                throw problem(
                        where,
                        "The rule has only one limit, without a name. Write limit, window and so on directly"
                                + " into the candidate.");
            }
            return null;
        }
        Map<String, LimitDefinition> different = new HashMap<>();
        if (candidate.limits() != null) {
            candidate.limits().forEach((name, limit) -> different.put(RuleName.canonical(name), limit));
        }
        Map<String, LimitDefinition> limits = new LinkedHashMap<>();
        live.limits().forEach((name, limit) -> {
            LimitDefinition stronger = different.remove(RuleName.canonical(name));
            limits.put(name, stronger == null ? limit : stronger.over(limit));
        });
        if (!different.isEmpty()) {
            throw problem(
                    different.values().iterator().next().where(),
                    "The rule has no limit of this name; there are "
                            + String.join(", ", live.limits().keySet()) + ".");
        }
        return limits;
    }

    private static LimiterConfigurationException problem(String where, String reason) {
        return new LimiterConfigurationException(new Problem(MessageCode.CANDIDATE, where, null, reason));
    }
}
