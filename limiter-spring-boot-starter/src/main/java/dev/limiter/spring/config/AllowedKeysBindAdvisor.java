package dev.limiter.spring.config;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** Lets an application have keys of its own below {@code limiter}: those that {@code limiter.own-keys} lists. */
public final class AllowedKeysBindAdvisor implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(LimiterProperties.PREFIX);

    private final Environment environment;

    public AllowedKeysBindAdvisor(Environment environment) {
        this.environment = environment;
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public void onFinish(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
                    throws Exception {
                try {
                    super.onFinish(name, target, context, result);
                } catch (UnboundConfigurationPropertiesException unbound) {
                    refuseOthers(name, unbound.getUnboundProperties());
                }
            }
        };
    }

    private void refuseOthers(ConfigurationPropertyName name, Set<ConfigurationProperty> unbound) {
        Set<ConfigurationProperty> others = ROOT.equals(name) ? withoutOwn(unbound) : unbound;
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
