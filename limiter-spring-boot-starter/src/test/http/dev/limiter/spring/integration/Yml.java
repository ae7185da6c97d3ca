package dev.limiter.spring.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactories;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/** The configuration of the application of a test, as in {@code application.yml}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ContextCustomizerFactories(Yml.Factory.class)
@interface Yml {
    String value();

    /** Adds the text to the environment. Tests with the same text share an application. */
    record Customizer(String text) implements ContextCustomizer {
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            try {
                new YamlPropertySourceLoader()
                        .load("test", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                        .forEach(context.getEnvironment().getPropertySources()::addFirst);
            } catch (IOException exception) {
                throw new UncheckedIOException(exception);
            }
        }
    }

    /** Finds the annotation on the test class or a superclass. */
    class Factory implements ContextCustomizerFactory {
        @Override
        public @Nullable ContextCustomizer createContextCustomizer(
                Class<?> test, List<ContextConfigurationAttributes> attributes) {
            Yml yml = AnnotatedElementUtils.findMergedAnnotation(test, Yml.class);
            return yml == null ? null : new Customizer(yml.value());
        }
    }
}
