package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.annotation.RateLimiter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A handler method on WebFlux cannot have a fallback that Spring never calls: startup fails. */
class HandlerFallbackTests {

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
}
