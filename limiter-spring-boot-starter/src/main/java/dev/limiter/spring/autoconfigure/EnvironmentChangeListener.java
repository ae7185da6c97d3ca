package dev.limiter.spring.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;

/**
 * Calls the watcher after Spring Cloud has changed the environment. Separate from the watcher, because listeners are
 * created at the first event of any kind, before the beans of the rules exist. Thread-safe.
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
