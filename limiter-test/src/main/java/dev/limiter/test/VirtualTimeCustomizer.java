package dev.limiter.test;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Puts a {@link VirtualTimeSource} and a {@link FreshStorage} into the application, in place of those it would have. A
 * record without components: all are equal, so that tests share applications.
 */
record VirtualTimeCustomizer() implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
        register(registry, "limiterVirtualTimeSource", VirtualTimeSource.class);
        register(registry, "limiterFreshStorage", FreshStorage.class);
    }

    /** Definitions by class, which tests that are processed ahead of time need; primary, if the application has its own. */
    private static void register(BeanDefinitionRegistry registry, String name, Class<?> type) {
        RootBeanDefinition definition = new RootBeanDefinition(type);
        definition.setPrimary(true);
        registry.registerBeanDefinition(name, definition);
    }
}
