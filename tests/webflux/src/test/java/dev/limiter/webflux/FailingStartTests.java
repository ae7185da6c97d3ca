package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.annotation.RateLimiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Apart from other tests: an application that fails at startup closes the event loops of its JVM. */
class FailingStartTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Annotated {

        @RateLimiter(limit = 1, window = "1h", fallback = "cached")
        @GetMapping("/")
        String fresh() {
            return "fresh";
        }

        String cached() {
            return "cached";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RateLimiter(limit = 1, window = "1h", fallback = "cached")
    @RestController
    static class AnnotatedType {

        @GetMapping("/")
        String fresh() {
            return "fresh";
        }

        String cached() {
            return "cached";
        }
    }

    /** Spring would never call it. */
    @ParameterizedTest
    @ValueSource(classes = {Annotated.class, AnnotatedType.class})
    void fallbackOfAHandlerWithoutAPublisherFailsAtStartup(Class<?> controller) {
        try (Applications applications = new Applications()) {
            assertThatThrownBy(() -> applications.start(controller, "limiter.enabled: true"))
                    .hasStackTraceContaining(controller.getSimpleName() + ".fresh")
                    .hasStackTraceContaining("only a handler method that returns a Mono or Flux can have a fallback")
                    .hasStackTraceContaining("LIM-");
        }
    }

    @Test
    void unknownRuleOfAFilterIsReported() {
        try (Applications applications = new Applications()) {
            assertThatThrownBy(() -> {
                        var gateway = applications.start(
                                GatewayTests.Gateway.class, """
                                spring.cloud.gateway.server.webflux.routes:
                                  - {id: orders, uri: "http://127.0.0.1:1", predicates: ["Path=/orders/**"], filters: ["Limiter=apy"]}
                                limiter.rules.api: {key: ip, limit: 2, window: 1h}
                                """, "--spring.cloud.gateway.server.webflux.enabled=true");
                        Applications.clients(gateway).get("/orders/1");
                    })
                    .hasStackTraceContaining("The filter Limiter of the route orders")
                    .hasStackTraceContaining("No rule has this name")
                    .hasStackTraceContaining("Did you mean api?");
        }
    }
}
