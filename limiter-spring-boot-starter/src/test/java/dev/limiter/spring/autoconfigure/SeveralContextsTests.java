package dev.limiter.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** Limits work in parent and child contexts, and after a restart. */
class SeveralContextsTests {

    private static final Rule EXPORTS = Rule.of("exports", Limit.concurrency(1));

    private static SpringApplicationBuilder application(Class<?> configuration) {
        return new SpringApplicationBuilder(configuration)
                .web(WebApplicationType.NONE)
                .properties("management.endpoints.web.exposure.include=limiter");
    }

    private static void requestsWaitForTheirTurn(ConfigurableApplicationContext context) {
        RateLimiters limiters = context.getBean(RateLimiters.class);
        Decision held = limiters.tryAcquire(EXPORTS, "alice");
        CompletableFuture<Decision> next = limiters.acquireAsync(EXPORTS, "alice", Duration.ofHours(1));
        assertThat(next).isNotDone();
        held.close();
        next.join().close();
    }

    private static void everythingRuns(ConfigurableApplicationContext context) {
        assertThat(context.getBeansOfType(SmartLifecycle.class).entrySet())
                .filteredOn(bean -> bean.getKey().startsWith("limiter"))
                .isNotEmpty()
                .allMatch(bean -> bean.getValue().isRunning());
    }

    @Test
    void parentOutlivesItsChild() {
        try (ConfigurableApplicationContext parent =
                application(Application.class).run()) {
            try (ConfigurableApplicationContext child =
                    application(Application.class).parent(parent).run()) {
                assertThat(child.getBean(RateLimiters.class)).isSameAs(parent.getBean(RateLimiters.class));
                requestsWaitForTheirTurn(child);
            }
            everythingRuns(parent);
            requestsWaitForTheirTurn(parent);
        }
    }

    @Test
    void childWithItsOwnRateLimitersWaitsByItself() {
        try (ConfigurableApplicationContext parent =
                        application(Application.class).run();
                ConfigurableApplicationContext child =
                        application(WithRateLimiters.class).parent(parent).run()) {
            assertThat(child.getBean(RateLimiters.class)).isNotSameAs(parent.getBean(RateLimiters.class));
            requestsWaitForTheirTurn(child);
            requestsWaitForTheirTurn(parent);
        }
    }

    @Test
    void stoppedApplicationStartsAgain() {
        try (ConfigurableApplicationContext context =
                application(Application.class).run()) {
            context.stop();
            context.start();
            everythingRuns(context);
            requestsWaitForTheirTurn(context);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithRateLimiters {

        @Bean
        @Primary
        RateLimiters ownRateLimiters() {
            return RateLimiters.builder().build();
        }
    }
}
