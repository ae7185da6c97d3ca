package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.spring.compiled.KeyOverrides;
import dev.limiter.spring.compiled.KeyOverrides.OfKey;
import dev.limiter.spring.compiled.KeyOverrides.Stage;
import dev.limiter.spring.compiled.Tiers;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.KeyOverride;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.TiersDefinition.Tier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns overrides of keys into rules: for the rule's own limits and for those of each tier, the same with the
 * overridden ones replaced. Thread-safe.
 */
final class OverrideCompiler {

    private final LimitCompiler limits;
    private final TimeSource clock;

    OverrideCompiler(LimitCompiler limits, TimeSource clock) {
        this.limits = limits;
        this.clock = clock;
    }

    /** {@code own} and {@code tiers}: the limits of the definition, without a problem. */
    KeyOverrides compile(
            RuleDefinition definition,
            List<Limit> own,
            @Nullable Tiers tiers,
            @Nullable Duration maxWait,
            Problems problems) {
        List<KeyOverride> said = definition.value(KeyOverride.OPTION, List.of());
        if (said.isEmpty()) {
            return KeyOverrides.NONE;
        }
        List<Base> bases = bases(definition, own, tiers);
        Replacements replacements = new Replacements(definition, maxWait, problems);
        Map<String, OfKey> byKey = new HashMap<>();
        said.stream()
                .collect(Collectors.groupingBy(KeyOverride::key, LinkedHashMap::new, Collectors.toList()))
                .forEach((key, ofKey) -> byKey.put(key, new OfKey(ofKey, stages(ofKey, bases, replacements))));
        List<Limit> all = replacements.all();
        return problems.isEmpty() ? new KeyOverrides(byKey, all, clock) : KeyOverrides.NONE;
    }

    /** Limits that an override may be over, and their settings by the names of the limits. */
    private record Base(Rule rule, Function<String, LimitDefinition> settings) {}

    private static List<Base> bases(RuleDefinition definition, List<Limit> own, @Nullable Tiers tiers) {
        Map<String, LimitDefinition> ofRule = definition.limitsByName();
        List<Base> bases = new ArrayList<>();
        bases.add(new Base(Rule.of(definition.name(), own), ofRule::get));
        if (tiers != null && definition.tiers() != null) {
            Map<String, Tier> written = definition.tiers().tiers();
            tiers.rules()
                    .forEach((name, rule) ->
                            bases.add(new Base(rule, settings(Objects.requireNonNull(written.get(name)), ofRule))));
        }
        return bases;
    }

    private static Function<String, LimitDefinition> settings(Tier tier, Map<String, LimitDefinition> ofRule) {
        Map<String, LimitDefinition> named = new HashMap<>();
        if (tier.limits() == null) {
            named.put("", tier.limit());
        } else {
            tier.limits().forEach((name, limit) -> named.put(RuleName.canonical(name), limit));
        }
        return name -> {
            LimitDefinition weaker = Objects.requireNonNull(ofRule.get(name));
            LimitDefinition stronger = named.get(RuleName.canonical(name));
            return stronger == null ? weaker : stronger.over(weaker);
        };
    }

    /** With the end of each override, those that are left begin another stage. */
    private static List<Stage> stages(List<KeyOverride> ofKey, List<Base> bases, Replacements replacements) {
        List<KeyOverride> byEnd =
                ofKey.stream().sorted(Comparator.comparing(KeyOverride::until)).toList();
        List<Stage> stages = new ArrayList<>();
        for (int i = 0; i < byEnd.size(); i++) {
            List<KeyOverride> left = byEnd.subList(i, byEnd.size());
            Map<Rule, Rule> instead = new HashMap<>();
            bases.forEach(base -> instead.put(base.rule(), replacements.over(base, left)));
            Base own = bases.get(0);
            stages.add(new Stage(
                    byEnd.get(i).until(), instead, replacements.over(own, left), replacements.alone(own, left)));
        }
        return stages;
    }

    /** The limits that overrides put in the place of others, each compiled once. */
    private final class Replacements {

        private final RuleDefinition definition;
        private final @Nullable Duration maxWait;
        private final Problems problems;
        private final Map<Replacement, Optional<Limit>> compiled = new LinkedHashMap<>();

        /** {@code name}: of the limit; null if the rule has none that the override names. */
        private record Replacement(
                @Nullable Base base,
                @Nullable String name,
                @Nullable String named,
                long permits) {}

        Replacements(RuleDefinition definition, @Nullable Duration maxWait, Problems problems) {
            this.definition = definition;
            this.maxWait = maxWait;
            this.problems = problems;
        }

        Rule over(Base base, List<KeyOverride> overrides) {
            Map<String, Limit> replaced = replaced(base, overrides);
            UnaryOperator<Limit> either = limit -> replaced.getOrDefault(limit.name(), limit);
            return Rule.of(
                    definition.name(), base.rule().limits().stream().map(either).toList());
        }

        Rule alone(Base base, List<KeyOverride> overrides) {
            Map<String, Limit> replaced = replaced(base, overrides);
            return replaced.isEmpty() ? base.rule() : Rule.of(definition.name(), List.copyOf(replaced.values()));
        }

        private Map<String, Limit> replaced(Base base, List<KeyOverride> overrides) {
            Map<String, Limit> replaced = new LinkedHashMap<>();
            for (KeyOverride override : overrides) {
                String name = name(override.named());
                Replacement wanted = name == null
                        ? new Replacement(null, null, override.named(), 0)
                        : new Replacement(base, name, null, override.limit());
                compiled.computeIfAbsent(wanted, this::compile).ifPresent(limit -> replaced.put(limit.name(), limit));
            }
            return replaced;
        }

        private @Nullable String name(@Nullable String named) {
            if (definition.limits() == null || named == null) {
                return definition.limits() == null && named == null ? "" : null;
            }
            return definition.limits().keySet().stream()
                    .filter(name -> RuleName.canonical(name).equals(RuleName.canonical(named)))
                    .findFirst()
                    .orElse(null);
        }

        private Optional<Limit> compile(Replacement wanted) {
            return Optional.ofNullable(problems.collect(() -> {
                if (wanted.base() == null || wanted.name() == null) {
                    throw unknown(wanted.named());
                }
                LimitDefinition replaced = wanted.base().settings().apply(wanted.name());
                return limits.compile(wanted.name(), withPermits(replaced, wanted.permits()), maxWait);
            }));
        }

        private LimiterConfigurationException unknown(@Nullable String named) {
            String reason = definition.limits() == null
                    ? "The rule has only one limit, without a name."
                    : "Say which limit of the rule: "
                            + String.join(", ", definition.limits().keySet()) + ".";
            return new LimiterConfigurationException(
                    new Problem(MessageCode.CHANGE, RuleSetCompiler.OVERRIDE.of("named"), named, reason));
        }

        List<Limit> all() {
            return compiled.values().stream()
                    .flatMap(Optional::stream)
                    .distinct()
                    .toList();
        }
    }

    /** Without the burst, which belongs to the number of the rule, as with a limit resolver. */
    private static LimitDefinition withPermits(LimitDefinition replaced, long permits) {
        return new LimitDefinition(
                RuleSetCompiler.OVERRIDE.toString(),
                replaced.settings()
                        .without(LimitOptions.BURST)
                        .with(LimitOptions.LIMIT, permits, RuleSetCompiler.OVERRIDE));
    }
}
