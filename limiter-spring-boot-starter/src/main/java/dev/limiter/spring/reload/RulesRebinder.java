package dev.limiter.spring.reload;

import dev.limiter.spring.config.ConfiguredRules;
import dev.limiter.spring.config.LimiterProperties;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;

/** Binds the rules of an environment once more, as at the start. Thread-safe. */
public final class RulesRebinder {

    private final List<ConfigurationPropertiesBindHandlerAdvisor> advisors;

    /** {@code advisors}: those of the application, the first innermost. */
    public RulesRebinder(List<ConfigurationPropertiesBindHandlerAdvisor> advisors) {
        this.advisors = List.copyOf(advisors);
    }

    /**
     * @throws dev.limiter.spring.failure.LimiterConfigurationException if a value cannot be what it is
     * @throws BindException the same
     */
    public ConfiguredRules rebind(ConfigurableEnvironment environment) {
        BindHandler handler = BindHandler.DEFAULT;
        for (ConfigurationPropertiesBindHandlerAdvisor advisor : advisors) {
            handler = advisor.apply(handler);
        }
        LimiterProperties properties = Binder.get(environment)
                .bindOrCreate(LimiterProperties.PREFIX, Bindable.of(LimiterProperties.class), handler);
        return new ConfiguredRules(properties, environment);
    }
}
