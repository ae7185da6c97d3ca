package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
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
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/**
 * Uses {@code @Retryable} and {@code @ConcurrencyLimit} of Spring Framework 7 by name, because these tests are also
 * compiled with Spring Framework 6.
 */
@Tag("each-line")
class ResilientMethodTests {

    private static final String PACKAGE = "org.springframework.resilience.annotation.";

    @BeforeEach
    void skipBefore7() {
        Assumptions.assumeTrue(ClassUtils.isPresent(PACKAGE + "Retryable", null));
    }

    @Test
    void rejectedCallIsNotTriedAgainAndRetriesDoNotCount() throws Exception {
        try (ConfigurableApplicationContext application = start(annotated(Flaky.class, "call", builder("Retryable")))) {
            Flaky flaky = application.getBean(Flaky.class);
            Outcomes outcomes = application.getBean(Outcomes.class);

            assertThat(flaky.call()).isEqualTo("attempt 2");
            assertThatThrownBy(flaky::call).isInstanceOf(RateLimitExceededException.class);
            assertThat(outcomes.rejected).hasValue(1);
        }
    }

    @Test
    void rejectedCallDoesNotWaitForASlotOfTheThrottle() throws Exception {
        AnnotationDescription.Builder one = builder("ConcurrencyLimit").define("value", 1);
        try (ConfigurableApplicationContext application = start(annotated(Throttled.class, "call", one))) {
            Throttled throttled = application.getBean(Throttled.class);
            CountDownLatch first = new CountDownLatch(1);
            CountDownLatch second = new CountDownLatch(1);
            FutureTask<Integer> running = call(throttled, first);
            await().until(() -> throttled.inside() == 1);
            FutureTask<Integer> waiting = call(throttled, second);
            await().until(() -> application.getBean(Outcomes.class).permitted.get() == 2);

            assertTimeoutPreemptively(
                    Duration.ofSeconds(20),
                    () -> assertThatThrownBy(() -> throttled.call(first))
                            .isInstanceOf(RateLimitExceededException.class));

            assertThat(throttled.inside())
                    .as("the throttle holds back the second")
                    .isEqualTo(1);
            first.countDown();
            second.countDown();
            assertThat(running.get() + waiting.get()).isEqualTo(3);
        }
    }

    private static FutureTask<Integer> call(Throttled throttled, CountDownLatch end) {
        FutureTask<Integer> call = new FutureTask<>(() -> throttled.call(end));
        new Thread(call).start();
        return call;
    }

    private static ConfigurableApplicationContext start(Class<?> bean) {
        return new SpringApplicationBuilder(Application.class)
                .properties("spring.config.name=none", "spring.main.web-application-type=none")
                .initializers(context -> register(context, bean))
                .run();
    }

    @SuppressWarnings("unchecked")
    private static AnnotationDescription.Builder builder(String annotation) throws Exception {
        return AnnotationDescription.Builder.ofType(
                (Class<? extends Annotation>) ClassUtils.forName(PACKAGE + annotation, null));
    }

    private static <T> Class<? extends T> annotated(
            Class<T> type, String method, AnnotationDescription.Builder annotation) {
        return new ByteBuddy()
                .subclass(type)
                .method(ElementMatchers.named(method))
                .intercept(SuperMethodCall.INSTANCE)
                .annotateMethod(annotation.build())
                .make()
                .load(type.getClassLoader(), ClassLoadingStrategy.Default.INJECTION)
                .getLoaded();
    }

    private static void register(ConfigurableApplicationContext context, Class<?> bean) {
        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
        registry.registerBeanDefinition("annotated", new RootBeanDefinition(bean));
    }

    /** Fails at the first attempt. */
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

    /** Calls that end when the test releases them. */
    public static class Throttled {

        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger served = new AtomicInteger();

        public int inside() {
            return inside.get();
        }

        @RateLimiter(limit = 2, window = "1h")
        public int call(CountDownLatch end) throws InterruptedException {
            inside.incrementAndGet();
            end.await();
            inside.decrementAndGet();
            return served.incrementAndGet();
        }
    }

    static class Outcomes implements RateLimitListener {

        private final AtomicInteger permitted = new AtomicInteger();
        private final AtomicInteger rejected = new AtomicInteger();

        @Override
        public void onDecision(RateLimitEvent event) {
            (event.outcome() == Outcome.REJECTED ? rejected : permitted).incrementAndGet();
        }
    }

    @SpringBootConfiguration
    @Import(Outcomes.class)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        static BeanPostProcessor retries() throws Exception {
            return postProcessor("RetryAnnotationBeanPostProcessor");
        }

        @Bean
        static BeanPostProcessor throttle() throws Exception {
            return postProcessor("ConcurrencyLimitBeanPostProcessor");
        }

        private static BeanPostProcessor postProcessor(String name) throws Exception {
            return (BeanPostProcessor)
                    ClassUtils.forName(PACKAGE + name, null).getConstructor().newInstance();
        }
    }
}
