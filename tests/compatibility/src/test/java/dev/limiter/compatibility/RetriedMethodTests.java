package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitListener;
import java.lang.annotation.Annotation;
import java.util.concurrent.atomic.AtomicInteger;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.SuperMethodCall;
import net.bytebuddy.matcher.ElementMatchers;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/** {@code @Retryable} of Spring Framework 7: by name, since these tests are compiled with Spring Framework 6, too. */
@Tag("each-line")
class RetriedMethodTests {

    private static final String PACKAGE = "org.springframework.resilience.annotation.";

    @BeforeEach
    void skipBefore7() {
        Assumptions.assumeTrue(ClassUtils.isPresent(PACKAGE + "Retryable", null));
    }

    @Test
    void rejectedCallIsNotTriedAgainAndRetriesDoNotCount() throws Exception {
        Class<? extends Flaky> retryable = annotated(Flaky.class, "call", PACKAGE + "Retryable");
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .properties("spring.config.name=none", "spring.main.web-application-type=none")
                .initializers(context -> register(context, retryable))
                .run()) {
            Flaky flaky = application.getBean(Flaky.class);
            AtomicInteger rejections = application.getBean(AtomicInteger.class);

            assertThat(flaky.call()).isEqualTo("attempt 2");
            assertThatThrownBy(flaky::call).isInstanceOf(RateLimitExceededException.class);
            assertThat(rejections).hasValue(1);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> Class<? extends T> annotated(Class<T> type, String method, String annotation) throws Exception {
        Class<? extends Annotation> found =
                (Class<? extends Annotation>) ClassUtils.forName(annotation, type.getClassLoader());
        return new ByteBuddy()
                .subclass(type)
                .method(ElementMatchers.named(method))
                .intercept(SuperMethodCall.INSTANCE)
                .annotateMethod(AnnotationDescription.Builder.ofType(found).build())
                .make()
                .load(type.getClassLoader(), ClassLoadingStrategy.Default.INJECTION)
                .getLoaded();
    }

    private static void register(ConfigurableApplicationContext context, Class<?> bean) {
        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
        registry.registerBeanDefinition("flaky", new RootBeanDefinition(bean));
    }

    /** Fails at each first attempt. */
    public static class Flaky {

        private int attempts;

        @RateLimiter(limit = 1, window = "1h")
        public String call() {
            attempts++;
            if (attempts % 2 == 1) {
                throw new IllegalStateException("again");
            }
            return "attempt " + attempts;
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {

        @Bean
        static BeanPostProcessor retries() throws Exception {
            return (BeanPostProcessor) ClassUtils.forName(PACKAGE + "RetryAnnotationBeanPostProcessor", null)
                    .getConstructor()
                    .newInstance();
        }

        @Bean
        AtomicInteger rejections() {
            return new AtomicInteger();
        }

        @Bean
        RateLimitListener countingRejections(AtomicInteger rejections) {
            return event -> {
                if (event.outcome() == Outcome.REJECTED) {
                    rejections.incrementAndGet();
                }
            };
        }
    }
}
