package dev.limiter.spring.config;

import java.util.List;
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
public final class OwnKeys implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(LimiterProperties.PREFIX);

    private final Environment environment;

    public OwnKeys(Environment environment) {
        this.environment = environment;
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result)
                    throws Exception {
                try {
                    super.onFinish(name, target, context, result);
                } catch (UnboundConfigurationPropertiesException unbound) {
                    if (!ROOT.equals(name) || !areOwn(unbound)) {
                        throw unbound;
                    }
                }
            }
        };
    }

    private boolean areOwn(UnboundConfigurationPropertiesException unbound) {
        List<ConfigurationPropertyName> own =
                Binder.get(environment)
                        .bind("limiter.own-keys", Bindable.listOf(String.class))
                        .orElse(List.of())
                        .stream()
                        .map(ROOT::append)
                        .toList();
        return unbound.getUnboundProperties().stream()
                .map(ConfigurationProperty::getName)
                .allMatch(key -> own.stream().anyMatch(prefix -> prefix.equals(key) || prefix.isAncestorOf(key)));
    }
}
