package dev.limiter.test;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;

/** Adds beans to applications under test. */
final class TestBeanRegistrar {

    private TestBeanRegistrar() {}

    /**
     * Registers a bean by its class, as ahead-of-time processing requires. Does nothing in a processed context, which
     * already contains the bean.
     */
    static void register(ConfigurableApplicationContext context, String name, Class<?> type, boolean primary) {
        if (AotDetector.useGeneratedArtifacts()) {
            return;
        }
        RootBeanDefinition definition = new RootBeanDefinition(type);
        definition.setPrimary(primary);
        ((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition(name, definition);
    }
}
