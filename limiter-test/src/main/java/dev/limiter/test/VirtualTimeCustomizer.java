package dev.limiter.test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Puts a {@link VirtualTimeSource} and a {@link ResettableStorage} into the application, in place of those it would
 * have. A record without components: all are equal, so that tests share applications.
 */
record VirtualTimeCustomizer() implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        // primary, if the application has its own
        TestBeanRegistrar.register(context, "limiterVirtualTimeSource", VirtualTimeSource.class, true);
        TestBeanRegistrar.register(context, "limiterFreshStorage", ResettableStorage.class, true);
    }
}
