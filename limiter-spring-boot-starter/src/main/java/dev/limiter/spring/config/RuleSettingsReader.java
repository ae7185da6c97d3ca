package dev.limiter.spring.config;

import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.LimitsDefinition;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.Scope;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** Converts bound properties to rule definitions. Invalid and duplicate names are problems. */
final class RuleSettingsReader {

    private final Environment environment;
    private final Problems problems;

    RuleSettingsReader(Environment environment, Problems problems) {
        this.environment = environment;
        this.problems = problems;
    }

    List<RuleDefinition> rules(Map<String, LimiterProperties.Rule> rules) {
        return named("limiter.rules", rules).entrySet().stream()
                .map(rule -> rule(rule.getKey(), rule.getValue()))
                .toList();
    }

    private RuleDefinition rule(String name, LimiterProperties.Rule rule) {
        RuleOrigin origin = new EnvironmentOrigin("limiter.rules." + name, environment);
        RuleDefinition.Builder builder = builder(name, origin, rule, rule.limits(), rule.tiers());
        LimiterProperties.Ban ban = rule.ban();
        if (ban != null) {
            builder.ban(ban.after(), ban.within(), ban.duration());
        }
        LimiterProperties.Tier candidate = rule.candidate();
        return builder.set(
                        LimitsDefinition.CANDIDATE,
                        candidate == null ? null : tier(below(origin, "candidate"), candidate))
                .build();
    }

    RuleDefinition defaultLimit(LimiterProperties.DefaultLimit limit) {
        RuleOrigin origin = new EnvironmentOrigin("limiter.web.default-limit", environment);
        return builder(RuleName.DEFAULT, origin, limit, limit.limits(), limit.tiers())
                .scope(Scope.ENDPOINT)
                .build();
    }

    private RuleDefinition.Builder builder(
            String name,
            RuleOrigin origin,
            Record bound,
            @Nullable Map<String, LimiterProperties.NamedLimit> limits,
            @Nullable Map<String, LimiterProperties.Tier> tiers) {
        RuleDefinition.Builder builder = RuleDefinition.builder(name, origin)
                .limit(limit(origin, bound, LimitOptions.OF_RULE))
                .settings(BoundOptions.of(bound, RuleOptions.ALL, origin));
        if (limits != null) {
            limits(origin, limits).forEach(builder::namedLimit);
        }
        if (tiers != null) {
            builder.set(LimitsDefinition.TIERS, tiers(below(origin, "tiers"), tiers));
        }
        return builder;
    }

    private Map<String, LimitsDefinition> tiers(RuleOrigin origin, Map<String, LimiterProperties.Tier> properties) {
        Map<String, LimitsDefinition> tiers = new LinkedHashMap<>();
        named(origin.toString(), properties).forEach((name, tier) -> tiers.put(name, tier(below(origin, name), tier)));
        return tiers;
    }

    private LimitsDefinition tier(RuleOrigin origin, LimiterProperties.Tier tier) {
        return new LimitsDefinition(
                limit(origin, tier, LimitOptions.OF_RULE),
                tier.limits() == null ? null : limits(origin, tier.limits()),
                Boolean.TRUE.equals(tier.unlimited()));
    }

    private Map<String, LimitDefinition> limits(
            RuleOrigin origin, Map<String, LimiterProperties.NamedLimit> properties) {
        RuleOrigin parent = below(origin, "limits");
        Map<String, LimitDefinition> limits = new LinkedHashMap<>();
        named(parent.toString(), properties)
                .forEach((name, limit) -> limits.put(name, limit(below(parent, name), limit, LimitOptions.OF_NAMED)));
        return limits;
    }

    private static LimitDefinition limit(RuleOrigin origin, Record bound, List<Option<?>> options) {
        return new LimitDefinition(origin.toString(), BoundOptions.of(bound, options, origin));
    }

    private static RuleOrigin below(RuleOrigin origin, String name) {
        return RuleOrigin.property(origin.of(name));
    }

    private <T> Map<String, T> named(String parent, Map<String, T> properties) {
        return RelaxedNameMerger.of(parent, properties, environment, problems);
    }
}
