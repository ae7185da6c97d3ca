package dev.limiter.spring.config;

import dev.limiter.spring.check.Finding;
import dev.limiter.spring.check.StartupCheck;
import dev.limiter.spring.failure.DidYouMean;
import dev.limiter.spring.failure.MessageCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/**
 * Finds properties below a misspelled prefix, such as {@code limitter} or {@code spring.limiter}, which have no effect.
 * Environment variables are not checked.
 */
public final class MisplacedPropertyCheck implements StartupCheck {

    private static final UnboundElementsSourceFilter FILES = new UnboundElementsSourceFilter();
    private static final ConfigurationPropertyName IN_SPRING = ConfigurationPropertyName.of("spring.limiter");

    private final Environment environment;

    public MisplacedPropertyCheck(Environment environment) {
        this.environment = environment;
    }

    @Override
    public List<Finding> findings() {
        Map<ConfigurationPropertyName, Finding> findings = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource properties && FILES.apply(source)) {
                for (ConfigurationPropertyName property : properties) {
                    int root = wrongRoot(property);
                    if (root > 0) {
                        findings.computeIfAbsent(
                                property.chop(root + 1), name -> finding(name, root, property, source));
                    }
                }
            }
        }
        return List.copyOf(findings.values());
    }

    /** Returns the number of elements in a wrong prefix; 0 if the prefix is right or unrelated. */
    private static int wrongRoot(ConfigurationPropertyName property) {
        if (IN_SPRING.isAncestorOf(property)) {
            return 2;
        }
        String root = property.getNumberOfElements() < 2 ? "" : property.getElement(0, Form.UNIFORM);
        boolean misspelled = !root.equals(LimiterProperties.PREFIX)
                && DidYouMean.closest(root, List.of(LimiterProperties.PREFIX)).isPresent();
        return misspelled && KnownKeys.atRoot(property.getElement(1, Form.UNIFORM)) ? 1 : 0;
    }

    private static Finding finding(
            ConfigurationPropertyName name,
            int root,
            ConfigurationPropertyName property,
            ConfigurationPropertySource source) {
        @Nullable Origin origin = Origin.from(source.getConfigurationProperty(property));
        String key = name.getElement(root, Form.ORIGINAL);
        return new Finding(
                MessageCode.MISPLACED_PROPERTY,
                name + (origin == null ? "" : " (" + origin + ")") + ": this property has no effect. Did you mean "
                        + LimiterProperties.PREFIX + "." + key + "?");
    }
}
