package dev.limiter.spring.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Lets an application have keys of its own below {@code limiter}: those that {@code limiter.own-keys} lists. Refuses
 * unknown keys also where Spring Boot takes them for positions in a list: YAML has brackets around keys that are no
 * texts, such as the number behind the comma in <code>{ limit: 1,000 }</code>.
 */
public final class AllowedKeysBindAdvisor implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final UnboundElementsSourceFilter FILES = new UnboundElementsSourceFilter();

    private final Environment environment;

    public AllowedKeysBindAdvisor(Environment environment) {
        this.environment = environment;
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new LimiterBindHandler(handler) {
            @Override
            public void onFinish(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                    throws Exception {
                Set<ConfigurationProperty> unknown = new TreeSet<>();
                try {
                    super.onFinish(name, target, context, result);
                } catch (UnboundConfigurationPropertiesException unbound) {
                    unknown.addAll(unbound.getUnboundProperties());
                }
                if (isEnd(name)) {
                    unknown.addAll(positions(context.getSources()));
                }
                refuseOthers(name, unknown);
            }
        };
    }

    /** The properties of such keys, but for those of variables. */
    private static Set<ConfigurationProperty> positions(Iterable<ConfigurationPropertySource> sources) {
        Set<ConfigurationProperty> positions = new TreeSet<>();
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource iterable && FILES.apply(source)) {
                iterable.stream()
                        .filter(AllowedKeysBindAdvisor::isPosition)
                        .map(source::getConfigurationProperty)
                        .forEach(positions::add);
            }
        }
        return positions;
    }

    private static boolean isPosition(ConfigurationPropertyName name) {
        return name.isLastElementIndexed()
                && LimiterBindHandler.ROOT.isAncestorOf(name)
                && PropertyNames.isUnknown(name);
    }

    private void refuseOthers(ConfigurationPropertyName name, Set<ConfigurationProperty> unbound) {
        Set<ConfigurationProperty> others = LimiterBindHandler.ROOT.equals(name) ? withoutOwn(unbound) : unbound;
        if (!others.isEmpty()) {
            throw new UnboundConfigurationPropertiesException(others);
        }
    }

    private Set<ConfigurationProperty> withoutOwn(Set<ConfigurationProperty> unbound) {
        List<ConfigurationPropertyName> own =
                Binder.get(environment)
                        .bind("limiter.own-keys", Bindable.listOf(String.class))
                        .orElse(List.of())
                        .stream()
                        .map(key -> ConfigurationPropertyName.adapt(LimiterProperties.PREFIX + "." + key, '.'))
                        .toList();
        return unbound.stream()
                .filter(property -> own.stream()
                        .noneMatch(key -> key.equals(property.getName()) || key.isAncestorOf(property.getName())))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }
}
