package dev.limiter.spring.config;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Takes part in the binding of {@link LimiterProperties} alone: an application may have keys below {@code limiter} too. */
abstract class LimiterBindHandler extends AbstractBindHandler {

    static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of(LimiterProperties.PREFIX);

    private boolean binding;

    LimiterBindHandler(BindHandler parent) {
        super(parent);
    }

    @Override
    public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        if (target.getType().toClass() == LimiterProperties.class) {
            binding = true;
        }
        return super.onStart(name, target, context);
    }

    /** Whether a name is that of a setting of Limiter, which is being bound. */
    final boolean isSetting(ConfigurationPropertyName name) {
        return binding && ROOT.isAncestorOf(name);
    }

    /** Whether all settings of Limiter have been bound, of which this is the end. */
    final boolean isEnd(ConfigurationPropertyName name) {
        return binding && ROOT.equals(name);
    }
}
