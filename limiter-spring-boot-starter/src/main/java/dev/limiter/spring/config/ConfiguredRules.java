package dev.limiter.spring.config;

import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The rules of {@code limiter.rules}, and what else is configured about rules. Immutable. */
public final class ConfiguredRules {

    private static final String ACTUATOR = "/actuator/**";

    private final List<RuleDefinition> rules;
    private final @Nullable RuleDefinition defaultLimit;
    private final Setting<List<String>> excluded;

    /**
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if a name is none, or is there twice
     */
    public ConfiguredRules(LimiterProperties properties, Environment environment) {
        Problems problems = new Problems();
        RuleSettingsReader reader = new RuleSettingsReader(environment, problems);
        this.rules = reader.rules(properties.rules());
        LimiterProperties.DefaultLimit limit = properties.web().defaultLimit();
        this.defaultLimit = limit == null ? null : reader.defaultLimit(limit);
        problems.throwIfAny();
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

    /** These rules, and after them the others. */
    public List<RuleDefinition> with(List<RuleDefinition> others) {
        return Stream.concat(rules.stream(), others.stream()).toList();
    }

    /** The automatic limit, if there is one. */
    public @Nullable RuleDefinition defaultLimit() {
        return defaultLimit;
    }

    /** The paths that no rule applies to. */
    public Setting<List<String>> excluded() {
        return excluded;
    }
}
