package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.core.ResolvableType;

class EnvironmentChangeListenerTests {

    private final ObjectProvider<ConfigurationWatcher> provider = mock();
    private final EnvironmentChangeListener listener = new EnvironmentChangeListener(provider);

    @ParameterizedTest
    @CsvSource({
        "org.springframework.cloud.context.environment.EnvironmentChangeEvent, true",
        "org.springframework.context.ApplicationEvent, false",
        "org.springframework.context.event.ContextRefreshedEvent, false"
    })
    void listensOnlyToSpringCloud(Class<?> event, boolean listens) {
        assertThat(listener.supportsEventType(ResolvableType.forClass(event))).isEqualTo(listens);
        verifyNoInteractions(provider);
    }

    @Test
    void callsTheWatcher() {
        ConfigurationWatcher watcher = mock();
        when(provider.getObject()).thenReturn(watcher);
        listener.onApplicationEvent(new EnvironmentChangeEvent(this));
        verify(watcher).environmentChanged();
    }
}
