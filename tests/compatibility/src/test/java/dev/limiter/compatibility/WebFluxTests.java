package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimitExceededException;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.autoconfigure.LimiterAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterMethodAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterRulesAutoConfiguration;
import dev.limiter.spring.autoconfigure.LimiterWebFluxAutoConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;

/** A WebFlux application with limits on requests fails at startup. */
@Tag("each-line")
class WebFluxTests {

    private final ReactiveWebApplicationContextRunner application = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LimiterRulesAutoConfiguration.class,
                    LimiterAutoConfiguration.class,
                    LimiterMethodAutoConfiguration.class,
                    LimiterWebFluxAutoConfiguration.class));

    @Test
    void stopsWithRulesForPaths() {
        application
                .withPropertyValues(
                        "limiter.rules.orders.paths=/orders",
                        "limiter.rules.orders.limit=10",
                        "limiter.rules.orders.window=1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("LIM-406")
                        .hasMessageContaining("the rule \"orders\"")
                        .hasMessageContaining("limiter.web.enabled=false"));
    }

    @Test
    void stopsWithAnAutomaticLimit() {
        application
                .withPropertyValues("limiter.web.default-limit.limit=10", "limiter.web.default-limit.window=1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("LIM-406")
                        .hasMessageContaining("default-limit"));
    }

    @Test
    void stopsWithAnnotatedMethods() {
        application
                .withBean(Service.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("LIM-406")
                        .hasMessageContaining("Service.call"));
    }

    @Test
    void startsWithoutLimits() {
        application.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void limitsCallsWhenLimitsOnRequestsAreSwitchedOff() {
        application
                .withBean(Service.class)
                .withPropertyValues("limiter.web.enabled=false")
                .run(context -> {
                    Service service = context.getBean(Service.class);
                    service.call();

                    assertThatThrownBy(service::call).isInstanceOf(RateLimitExceededException.class);
                });
    }

    @Test
    void startsWhenNothingIsLimited() {
        application
                .withBean(Service.class)
                .withPropertyValues("limiter.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Service {

        @RateLimiter(limit = 1, window = "1h")
        public void call() {}
    }
}
