package dev.limiter.spring.config;

import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The configured rules: {@code limiter.rules}, the automatic limit and the exempt paths. Immutable. */
public final class ConfiguredRules {

    private static final String ACTUATOR = "/actuator/**";

    private final List<RuleDefinition> rules;
    private final @Nullable RuleDefinition defaultLimit;
    private final Setting<List<String>> excluded;

    /**
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if a name is invalid or duplicate
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

    /** Replaces {@code /actuator/**} by the configured base path, unless the endpoints have their own port. */
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

    /** Returns these rules, followed by others. */
    public List<RuleDefinition> with(List<RuleDefinition> others) {
        return Stream.concat(rules.stream(), others.stream()).toList();
    }

    /** Returns the automatic limit; null if there is none. */
    public @Nullable RuleDefinition defaultLimit() {
        return defaultLimit;
    }

    /** Returns the path patterns that are exempt from all rules. */
    public Setting<List<String>> excluded() {
        return excluded;
    }
}
