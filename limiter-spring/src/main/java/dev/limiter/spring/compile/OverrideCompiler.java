package dev.limiter.spring.compile;

import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.compiled.KeyOverrides;
import dev.limiter.spring.compiled.KeyOverrides.Own;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.Settings;
import dev.limiter.spring.rule.TiersDefinition.Tier;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Turns the keys with limits of their own into rules: each is what a tier would be for it alone. Thread-safe. */
final class OverrideCompiler {

    private final TierCompiler tiers;
    private final TimeSource clock;

    OverrideCompiler(TierCompiler tiers, TimeSource clock) {
        this.tiers = tiers;
        this.clock = clock;
    }

    KeyOverrides compile(RuleDefinition definition, Duration maxWait, Problems problems) {
        List<KeyOverride> said = definition.value(KeyOverride.OPTION, List.of());
        if (said.isEmpty()) {
            return KeyOverrides.NONE;
        }
        Map<String, Own> byKey = new HashMap<>();
        said.stream()
                .collect(Collectors.groupingBy(KeyOverride::key, LinkedHashMap::new, Collectors.toList()))
                .forEach((key, ofKey) -> {
                    Rule rule = tiers.tier(withoutBurst(definition, ofKey), tier(ofKey), maxWait, problems);
                    if (rule != null) {
                        byKey.put(key, new Own(rule, ofKey, end(ofKey)));
                    }
                });
        return new KeyOverrides(byKey, clock);
    }

    /** All of a key end together, with the first. */
    private static Instant end(List<KeyOverride> ofKey) {
        return ofKey.stream().map(KeyOverride::until).min(Instant::compareTo).orElseThrow();
    }

    private static Tier tier(List<KeyOverride> ofKey) {
        Map<String, LimitDefinition> named = new LinkedHashMap<>();
        for (KeyOverride override : ofKey) {
            named.put(Objects.requireNonNullElse(override.named(), ""), limit(override));
        }
        LimitDefinition only = named.remove("");
        LimitDefinition nothing = new LimitDefinition("the override", Settings.NONE);
        return new Tier(only == null ? nothing : only, named.isEmpty() ? null : named);
    }

    private static LimitDefinition limit(KeyOverride override) {
        String where = "the override";
        return new LimitDefinition(
                where, Settings.NONE.with(LimitOptions.LIMIT, new Setting<>(override.limit(), where + ".limit")));
    }

    /** A burst belongs to the number of the rule, as with a limit resolver. */
    private static RuleDefinition withoutBurst(RuleDefinition definition, List<KeyOverride> ofKey) {
        Map<String, LimitDefinition> limits = definition.limits();
        if (limits != null) {
            Map<String, LimitDefinition> without = new LinkedHashMap<>(limits);
            without.replaceAll((name, limit) -> ofKey.stream()
                            .map(KeyOverride::named)
                            .filter(Objects::nonNull)
                            .anyMatch(named -> RuleName.canonical(named).equals(RuleName.canonical(name)))
                    ? withoutBurst(limit)
                    : limit);
            limits = without;
        }
        return new RuleDefinition(
                definition.name(),
                definition.origin(),
                withoutBurst(definition.limit()),
                limits,
                definition.tiers(),
                definition.ban(),
                definition.settings());
    }

    private static LimitDefinition withoutBurst(LimitDefinition limit) {
        return new LimitDefinition(limit.where(), limit.settings().without(LimitOptions.BURST));
    }
}
