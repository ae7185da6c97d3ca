package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.limiter.Algorithm;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiterStorage;
import dev.limiter.RateLimiterStrategy;
import dev.limiter.RateLimiters;
import dev.limiter.TimeSource;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spring.Limiter;
import dev.limiter.spring.actuate.endpoint.LimiterEndpoint;
import dev.limiter.spring.actuate.metrics.LimiterMetrics;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.web.RateLimitInterceptor;
import dev.limiter.test.VirtualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.DispatcherServlet;

/** Beans of the application replace those of Limiter, and missing libraries are no problem. */
class LimiterAutoConfigurationTests {

    private final ApplicationContextRunner application =
            new ApplicationContextRunner().withConfiguration(Limiter.autoConfigurations());

    private final WebApplicationContextRunner webApplication =
            new WebApplicationContextRunner().withConfiguration(Limiter.autoConfigurations());

    @Test
    void decidesInMemoryByDefault() {
        application.run(context -> {
            assertThat(context).hasSingleBean(RateLimiters.class);
            assertThat(context.getBean("limiterTimeSource")).isSameAs(TimeSource.system());
            assertThat(context.getBean("limiterFactory")).isInstanceOf(RateLimiterFactory.class);
            assertThat(context.getBean("limiterStorage")).isInstanceOf(InMemoryRateLimiterStorage.class);
            assertThat(context.getBean("limiterRateLimiters", RateLimiters.class)
                            .storage())
                    .isSameAs(context.getBean("limiterStorage"));
        });
    }

    @Test
    void allBeansAreNamedAfterUs() {
        webApplication.withBean(SimpleMeterRegistry.class).run(context -> {
            Set<String> ours = Arrays.stream(context.getBeanDefinitionNames())
                    .filter(name -> {
                        Class<?> type = context.getType(name);
                        return type != null && type.getName().startsWith("dev.limiter.");
                    })
                    .filter(name -> !name.contains("dev.limiter.spring."))
                    .collect(Collectors.toSet());
            assertThat(ours).hasSizeGreaterThan(10).allMatch(name -> name.startsWith("limiter"));
        });
    }

    @Test
    void isNotThereWhenDisabled() {
        webApplication
                .withPropertyValues("limiter.enabled=false")
                .withBean(SimpleMeterRegistry.class)
                .withBean("once", Limited.class)
                .run(context -> {
                    assertThat(context.getBeanDefinitionNames())
                            .filteredOn(name -> name.startsWith("limiter"))
                            .containsExactly("limiterTemplate"); // permits everything
                    context.getBean(Limited.class).once();
                    context.getBean(Limited.class).once();
                });
    }

    @Test
    void backsOffForATimeSource() {
        application
                .withBean(VirtualTimeSource.class)
                .run(context ->
                        assertThat(context).hasSingleBean(TimeSource.class).hasSingleBean(VirtualTimeSource.class));
    }

    @Test
    void backsOffForAStorage() {
        RateLimiterStorage storage = mock();
        application
                .withBean("own", RateLimiterStorage.class, () -> storage)
                .run(context -> assertThat(context.getBean(RateLimiters.class).storage())
                        .isSameAs(storage));
    }

    @Test
    void backsOffForLimitersAndAFactory() {
        application
                .withBean(
                        "own", RateLimiters.class, () -> RateLimiters.builder().build())
                .withBean("ownFactory", RateLimiterFactory.class, RateLimiterFactory::new)
                .run(context -> assertThat(context)
                        .hasSingleBean(RateLimiters.class)
                        .hasSingleBean(RateLimiterFactory.class)
                        .doesNotHaveBean("limiterFactory"));
    }

    /** Mocked limiters have no storage. */
    @Test
    void startsWithAMockOfLimiters() {
        RateLimiters mocked = mock();
        webApplication
                .withConfiguration(AutoConfigurations.of(
                        EndpointAutoConfiguration.class,
                        LimiterChangesAutoConfiguration.class,
                        LimiterEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.jmx.exposure.include=limiter",
                        "spring.jmx.enabled=true",
                        "management.endpoints.web.exposure.include=limiter")
                .withBean("own", RateLimiters.class, () -> mocked)
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(RateLimiters.class);
                    assertThat(context.getBean(LimiterEndpoint.class).rules())
                            .extracting("storage")
                            .isEqualTo(Map.of("type", "memory", "keys", 0L));
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("limiter.keys")
                                    .tag("storage", "memory")
                                    .gauge()
                                    .value())
                            .isZero();
                });
    }

    @Test
    void aStrategyReplacesOursForItsAlgorithm() {
        RateLimiterStrategy own = mock();
        when(own.algorithm()).thenReturn(Algorithm.FIXED_WINDOW);
        application.withBean(RateLimiterStrategy.class, () -> own).run(context -> {
            RateLimiterFactory factory = context.getBean(RateLimiterFactory.class);
            assertThat(factory.strategy(Algorithm.FIXED_WINDOW)).isSameAs(own);
            assertThat(factory.strategy(Algorithm.TOKEN_BUCKET)).isNotNull();
        });
    }

    @Test
    void limitsRequestsOnlyInServletApplications() {
        webApplication.run(context -> assertThat(context).hasSingleBean(RateLimitInterceptor.class));
        application.run(context -> assertThat(context).doesNotHaveBean(RateLimitInterceptor.class));
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(Limiter.autoConfigurations())
                .run(context -> assertThat(context)
                        .hasSingleBean(RateLimiters.class)
                        .doesNotHaveBean(RateLimitInterceptor.class));
    }

    @Test
    void disabledWebLimitsStillMapRejectionsOfMethods() {
        webApplication
                .withPropertyValues("limiter.web.enabled=false")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(RateLimitInterceptor.class)
                        .hasBean("limiterExceptionResolver"));
    }

    @Test
    void worksWithoutServlets() {
        application
                .withClassLoader(new FilteredClassLoader(
                        "jakarta.servlet", "org.springframework.web", "org.springframework.http"))
                .withBean("once", Limited.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Limited.class).once();
                });
    }

    @Test
    void countsOnlyWithMicrometer() {
        application
                .withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LimiterMetrics.class));
        application
                .withBean(SimpleMeterRegistry.class)
                .withBean("once", Limited.class)
                .run(context -> {
                    context.getBean(Limited.class).once();
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.get("limiter.decisions")
                                    .tags("rule", "Limited.once", "resource", "Limited.once", "outcome", "permitted")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(meters.get("limiter.keys").gauge().value()).isEqualTo(1);
                });
    }

    @ParameterizedTest
    @CsvSource({"80%, 21", "99 %, 2"})
    void howNearALimitIsCanBeSet(String nearLimit, int near) {
        application
                .withPropertyValues(
                        "limiter.near-limit=" + nearLimit,
                        "limiter.rules.hundred.limit=100",
                        "limiter.rules.hundred.window=1d",
                        "limiter.rules.hundred.algorithm=fixed-window")
                .withBean(SimpleMeterRegistry.class)
                .withBean(OfHundred.class)
                .run(context -> {
                    IntStream.range(0, 100)
                            .forEach(i -> context.getBean(OfHundred.class).call());
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("limiter.near.limit")
                                    .tag("rule", "hundred")
                                    .counter()
                                    .count())
                            .isEqualTo(near);
                });
    }

    static class OfHundred {

        @RateLimiter("hundred")
        public void call() {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leavesNoThreadBehind(boolean restarted) {
        application.run(context -> {
            ConfigurableApplicationContext lifecycle =
                    (ConfigurableApplicationContext) context.getSourceApplicationContext();
            assertThat(cleaners()).hasSize(1).allMatch(Thread::isDaemon);
            if (restarted) {
                endsCleanerOn(lifecycle::stop);
                lifecycle.start();
                assertThat(cleaners()).hasSize(1);
            }
            endsCleanerOn(lifecycle::close);
        });
    }

    private static void endsCleanerOn(Runnable end) throws InterruptedException {
        Set<Thread> cleaners = cleaners();
        end.run();
        for (Thread cleaner : cleaners) {
            // the thread has stopped its work, but may take a moment to exit
            cleaner.join(60_000);
        }
        assertThat(cleaners()).isEmpty();
    }

    @Test
    void theOrderOfTheAspectCanBeSet() {
        application
                .withPropertyValues("limiter.aspect.order=7")
                .run(context -> assertThat(context.getBean("limiterMethodAdvisor", Ordered.class)
                                .getOrder())
                        .isEqualTo(7));
    }

    private static Set<Thread> cleaners() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("limiter-cleaner") && thread.isAlive())
                .collect(Collectors.toSet());
    }

    @Test
    void worksWithoutSpringMvc() {
        application
                .withClassLoader(new FilteredClassLoader(DispatcherServlet.class.getPackageName()))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("limiterInterceptor"));
    }

    public static class Limited {

        @RateLimiter(limit = 1, window = "1h")
        public void once() {}
    }
}
