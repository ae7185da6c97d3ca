package dev.limiter.spring.config;

import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.BanDefinition;
import dev.limiter.spring.rule.LimitDefinition;
import dev.limiter.spring.rule.LimitOptions;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleName;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.RuleOrigin;
import dev.limiter.spring.rule.RuleSource;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.rule.Setting;
import dev.limiter.spring.rule.TiersDefinition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The rules of {@code limiter.rules}, and what else is configured about rules. Immutable. */
public final class ConfiguredRules implements RuleSource {

    private static final String ACTUATOR = "/actuator/**";
    private static final String DEFAULT_LIMIT = "limiter.web.default-limit";

    private final List<RuleDefinition> rules;
    private final @Nullable RuleDefinition defaultLimit;
    private final Setting<List<String>> excluded;

    /**
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if a name is none, or is there twice
     */
    public ConfiguredRules(LimiterProperties properties, Environment environment) {
        this.rules = rules(properties.rules(), environment);
        LimiterProperties.DefaultLimit limit = properties.web().defaultLimit();
        this.defaultLimit = limit == null ? null : defaultLimit(limit, environment);
        this.excluded = new Setting<>(excluded(properties.web().exclude(), environment), "limiter.web.exclude");
    }

    /** The endpoints of Actuator are where the application puts them, unless they have a port of their own. */
    private static List<String> excluded(List<String> patterns, Environment environment) {
        String base = StringUtils.trimTrailingCharacter(
                environment.getProperty("management.endpoints.web.base-path", "/actuator"), '/');
        boolean elsewhere = !base.isEmpty() && environment.getProperty("management.server.port") == null;
        return elsewhere
                ? patterns.stream()
                        .map(pattern -> pattern.equals(ACTUATOR) ? base + "/**" : pattern)
                        .toList()
                : patterns;
    }

    @Override
    public Collection<RuleDefinition> rules() {
        return rules;
    }

    /** These rules, and after them those of the other sources. */
    public List<RuleDefinition> with(List<RuleSource> sources) {
        Stream<RuleSource> others = sources.stream().filter(source -> !(source instanceof ConfiguredRules));
        return Stream.concat(Stream.of(this), others)
                .flatMap(source -> source.rules().stream())
                .toList();
    }

    /** The automatic limit, if there is one. */
    public @Nullable RuleDefinition defaultLimit() {
        return defaultLimit;
    }

    /** The paths that no rule applies to. */
    public Setting<List<String>> excluded() {
        return excluded;
    }

    private static List<RuleDefinition> rules(Map<String, LimiterProperties.Rule> properties, Environment environment) {
        Problems problems = new Problems();
        List<RuleDefinition> rules = new ArrayList<>();
        RelaxedNameMerger.of("limiter.rules", properties, environment, problems)
                .forEach((name, rule) -> rules.add(rule(name, rule, environment, problems)));
        problems.throwIfAny();
        return List.copyOf(rules);
    }

    private static RuleDefinition rule(
            String name, LimiterProperties.Rule rule, Environment environment, Problems problems) {
        RuleOrigin origin = new EnvironmentOrigin("limiter.rules." + name, environment);
        RuleDefinition.Builder builder = builder(name, rule, origin)
                .tiers(TierSettingsReader.read(origin, rule.tiers(), environment, problems))
                .ban(ban(RuleOrigin.property(origin.of("ban")), rule.ban()))
                .set(
                        TiersDefinition.CANDIDATE,
                        TierSettingsReader.candidate(origin, rule.candidate(), environment, problems));
        return withLimits(builder, origin, rule.limits(), environment, problems);
    }

    private static RuleDefinition defaultLimit(LimiterProperties.DefaultLimit limit, Environment environment) {
        Problems problems = new Problems();
        RuleOrigin origin = new EnvironmentOrigin(DEFAULT_LIMIT, environment);
        RuleDefinition.Builder builder = builder(RuleName.DEFAULT, limit, origin)
                .tiers(TierSettingsReader.read(origin, limit.tiers(), environment, problems))
                .scope(Scope.ENDPOINT);
        RuleDefinition definition = withLimits(builder, origin, limit.limits(), environment, problems);
        problems.throwIfAny();
        return definition;
    }

    private static RuleDefinition.Builder builder(String name, Record bound, RuleOrigin origin) {
        return RuleDefinition.builder(name, origin)
                .limit(limit(bound, LimitOptions.OF_RULE, origin))
                .settings(BoundOptions.of(bound, RuleOptions.ALL, origin));
    }

    private static LimitDefinition limit(Record bound, List<Option<?>> options, RuleOrigin origin) {
        return new LimitDefinition(origin.toString(), BoundOptions.of(bound, options, origin));
    }

    private static @Nullable BanDefinition ban(RuleOrigin origin, LimiterProperties.@Nullable Ban ban) {
        return ban == null ? null : BanDefinition.of(origin, ban.after(), ban.within(), ban.duration());
    }

    private static RuleDefinition withLimits(
            RuleDefinition.Builder builder,
            RuleOrigin origin,
            @Nullable Map<String, LimiterProperties.NamedLimit> limits,
            Environment environment,
            Problems problems) {
        if (limits != null) {
            namedLimits(origin, limits, environment, problems).forEach(builder::namedLimit);
        }
        return builder.build();
    }

    /** Of a rule or of a tier. */
    static Map<String, LimitDefinition> namedLimits(
            RuleOrigin origin,
            Map<String, LimiterProperties.NamedLimit> properties,
            Environment environment,
            Problems problems) {
        String parent = origin.of("limits");
        Map<String, LimitDefinition> limits = new LinkedHashMap<>();
        RelaxedNameMerger.of(parent, properties, environment, problems)
                .forEach((name, limit) -> limits.put(
                        name, limit(limit, LimitOptions.OF_NAMED, RuleOrigin.property(parent + "." + name))));
        return limits;
    }

    /** The settings by which a tier differs from a rule with one limit. */
    static LimitDefinition tierLimit(RuleOrigin origin, LimiterProperties.Tier tier) {
        return limit(tier, LimitOptions.OF_RULE, origin);
    }
}
