package dev.limiter.test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Replaces the clock and the storage of the application by a {@link VirtualTimeSource} and a {@link ResettableStorage}.
 * A record without components, because equal customizers allow tests to share application contexts.
 */
record VirtualTimeCustomizer() implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        // primary, in case the application defines its own
        TestBeanRegistrar.register(context, "limiterVirtualTimeSource", VirtualTimeSource.class, true);
        TestBeanRegistrar.register(context, "limiterFreshStorage", ResettableStorage.class, true);
    }
}
