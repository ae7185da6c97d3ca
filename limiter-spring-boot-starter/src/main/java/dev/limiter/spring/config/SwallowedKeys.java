package dev.limiter.spring.config;

import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;

/**
 * Unknown keys that Spring Boot takes for positions in a list: YAML has brackets around keys that are no texts, such as
 * the number behind the comma in <code>{ limit: 1,000 }</code>.
 */
final class SwallowedKeys {

    private static final UnboundElementsSourceFilter FILES = new UnboundElementsSourceFilter();

    private SwallowedKeys() {}

    /** The properties of such keys, but for those of variables. */
    static Set<ConfigurationProperty> in(Iterable<ConfigurationPropertySource> sources) {
        Set<ConfigurationProperty> swallowed = new TreeSet<>();
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable && FILES.apply(source)) {
                iterable.stream()
                        .filter(SwallowedKeys::isUnknown)
                        .map(source::getConfigurationProperty)
                        .forEach(swallowed::add);
            }
        }
        return swallowed;
    }

    private static boolean isUnknown(ConfigurationPropertyName name) {
        return name.isLastElementIndexed()
                && LimiterBindHandler.ROOT.isAncestorOf(name)
                && PropertyNames.isUnknown(name);
    }
}
