package dev.limiter.spring.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;

/**
 * Tells the watcher that Spring Cloud has changed the environment. Apart from it, because a listener is made for the
 * first event of any kind, before all that the rules need is there. Thread-safe.
 */
final class EnvironmentChangeListener implements GenericApplicationListener {

    private static final String EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private final ObjectProvider<ConfigurationWatcher> watcher;

    public EnvironmentChangeListener(ObjectProvider<ConfigurationWatcher> watcher) {
        this.watcher = watcher;
    }

    @Override
    public boolean supportsEventType(ResolvableType type) {
        return type.toClass().getName().equals(EVENT);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        watcher.getObject().environmentChanged();
    }
}
