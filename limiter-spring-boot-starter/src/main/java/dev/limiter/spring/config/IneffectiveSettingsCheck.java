package dev.limiter.spring.config;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.compiled.RateLimitRule;
import dev.limiter.spring.compiled.RuleSet;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.rule.Option;
import dev.limiter.spring.rule.Phase;
import dev.limiter.spring.rule.RuleDefinition;
import dev.limiter.spring.rule.RuleOptions;
import dev.limiter.spring.rule.Scope;
import dev.limiter.spring.rule.Setting;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/** Finds properties that have no effect beside the others that are set, or without them. */
public final class IneffectiveSettingsCheck implements StartupCheck {

    private static final String DASHBOARD = "limiter.dashboard.";

    private final Environment environment;
    private final LimiterSettings settings;
    private final Rules rules;

    public IneffectiveSettingsCheck(Environment environment, LimiterSettings settings, Rules rules) {
        this.environment = environment;
        this.settings = settings;
        this.rules = rules;
    }

    @Override
    public List<Finding> findings() {
        return Stream.of(
                        ofRedisInMemory(),
                        ofHeadersWithoutProxies(),
                        ofStaticResourcesWithoutLimit(),
                        ofAPageThatIsOff(),
                        ofScopeOnArrival())
                .flatMap(Optional::stream)
                .toList();
    }

    private Optional<Finding> ofRedisInMemory() {
        if (settings.storage() != Storage.MEMORY) {
            return Optional.empty();
        }
        return finding(
                Stream.concat(
                        written("limiter.redis.", PropertyNames.of(LimiterProperties.Redis.class).stream()),
                        Stream.of(RuleOptions.ON_FAILURE, RuleOptions.LEASE).flatMap(this::inRules)),
                "limiter.storage is memory: set limiter.storage: redis, or remove ");
    }

    private Optional<Finding> ofHeadersWithoutProxies() {
        if (!settings.web().addresses().trustedProxies().isEmpty()) {
            return Optional.empty();
        }
        return finding(
                written("limiter.web.", Stream.of("forwarded-header")),
                "limiter.web.trusted-proxies is empty, so that no header is believed: list the proxies, or remove ");
    }

    private Optional<Finding> ofStaticResourcesWithoutLimit() {
        if (!settings.web().staticResources() || rules.current().defaultLimit().isPresent()) {
            return Optional.empty();
        }
        return finding(
                Stream.of("limiter.web.static-resources"),
                "there is no limiter.web.default-limit, which it extends: add that, or remove ");
    }

    private Optional<Finding> ofAPageThatIsOff() {
        if (environment.getProperty(DASHBOARD + "enabled", Boolean.class, false)) {
            return Optional.empty();
        }
        return finding(
                written(DASHBOARD, Stream.of("path", "insecure")),
                "the page is off: set limiter.dashboard.enabled: true, or remove ");
    }

    private Optional<Finding> ofScopeOnArrival() {
        return finding(
                rules.current().definitions().stream()
                        .filter(rule -> rule.value(RuleOptions.PHASE) == Phase.REQUEST)
                        .filter(IneffectiveSettingsCheck::hasOnePath)
                        .map(rule -> rule.get(RuleOptions.SCOPE))
                        .flatMap(Stream::ofNullable)
                        .filter(scope -> scope.value() == Scope.ENDPOINT)
                        .map(Setting::where),
                "with phase: request each path has a budget instead of each endpoint, and there is one path: use"
                        + " phase: endpoint, or remove ");
    }

    private static boolean hasOnePath(RuleDefinition rule) {
        Setting<List<String>> paths = rule.get(RuleOptions.PATHS);
        return paths != null && paths.value().size() == 1;
    }

    /** Empty if no property is without effect. */
    private static Optional<Finding> finding(Stream<String> ineffective, String reason) {
        List<String> properties = ineffective.toList();
        if (properties.isEmpty()) {
            return Optional.empty();
        }
        boolean one = properties.size() == 1;
        return Optional.of(new Finding(
                MessageCode.IGNORED_SETTING,
                String.join(", ", properties) + (one ? " has" : " have") + " no effect, since " + reason
                        + (one ? "it." : "them.")));
    }

    private Stream<String> inRules(Option<?> option) {
        RuleSet current = rules.current();
        return Stream.concat(
                        current.definitions().stream(), current.defaultLimit().map(RateLimitRule::definition).stream())
                .map(rule -> rule.get(option))
                .flatMap(Stream::ofNullable)
                .map(Setting::where);
    }

    /** Those of the keys that a source has. */
    private Stream<String> written(String section, Stream<String> keys) {
        return keys.map(key -> section + key).filter(this::isWritten);
    }

    private boolean isWritten(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getConfigurationProperty(name) != null) {
                return true;
            }
        }
        return false;
    }
}
