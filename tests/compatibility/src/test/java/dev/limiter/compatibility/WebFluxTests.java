package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.web.RateLimitInterceptor;
import dev.limiter.spring.webflux.LimitingHandlerAdapter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** An application with WebFlux on the class path, for its client, is one of Spring MVC if that is there as well. */
@Tag("each-line")
class WebFluxTests {

    @Test
    void requestsThroughSpringMvcAreLimited() {
        assertThat(ClassUtils.isPresent("org.springframework.web.reactive.DispatcherHandler", null))
                .isTrue();
        SpringApplication starting = new SpringApplication(Both.class);
        try (ConfigurableApplicationContext application = starting.run(
                "--server.port=0",
                "--spring.config.name=none",
                "--" + Applications.WITHOUT_SECURITY,
                "--limiter.rules.orders.paths=/orders",
                "--limiter.rules.orders.key=ip",
                "--limiter.rules.orders.limit=2",
                "--limiter.rules.orders.window=1h")) {
            Operator client = Operator.of(application);

            assertThat(client.statuses(3, "/orders")).containsExactly(200, 200, 429);
            assertThat(client.statuses(2, "/published")).containsExactly(200, 429);
            assertThat(application.getBeanNamesForType(RateLimitInterceptor.class))
                    .hasSize(1);
            assertThat(application.getBeanNamesForType(LimitingHandlerAdapter.class))
                    .isEmpty();
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Endpoints.class)
    static class Both {}

    @RestController
    static class Endpoints {

        @GetMapping("/orders")
        String orders() {
            return "orders";
        }

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/published")
        public Mono<String> published() {
            return Mono.just("published");
        }
    }
}
