package dev.limiter.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds {@link WithVirtualTime} on a test class, its superclasses and its enclosing classes. */
final class VirtualTimeCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        return TestContextAnnotationUtils.hasAnnotation(testClass, WithVirtualTime.class)
                ? new VirtualTimeCustomizer()
                : null;
    }
}
