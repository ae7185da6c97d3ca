package dev.limiter.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/** Adds a {@link MissingFiltersWarning} to every application under test with Spring MVC. */
final class MissingFiltersCustomizerFactory implements ContextCustomizerFactory {

    private static final String MVC = "org.springframework.web.servlet.config.annotation.WebMvcConfigurer";
    private static final boolean PRESENT =
            ClassUtils.isPresent(MVC, MissingFiltersCustomizerFactory.class.getClassLoader());

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configuration) {
        return PRESENT ? new Customizer() : null;
    }

    /** A record without components, because equal customizers allow tests to share application contexts. */
    private record Customizer() implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            TestBeanRegistrar.register(context, "limiterMissingFiltersWarning", MissingFiltersWarning.class, false);
        }
    }
}
