package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.annotation.RateLimiter;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

class HandlerFallbackTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Controller.class)
    static class Application {}

    @RestController
    static class Controller {

        @RateLimiter(limit = 1, window = "1h", fallback = "cached")
        @GetMapping("/")
        String fresh() {
            return "fresh";
        }

        String cached() {
            return "cached";
        }
    }

    @Test
    void fallbackOfAHandlerWithoutAPublisherFailsAtStartup() {
        try (Applications applications = new Applications()) {
            assertThatThrownBy(() -> applications.start(Application.class, "limiter.enabled: true"))
                    .hasStackTraceContaining("Controller.fresh")
                    .hasStackTraceContaining("only a handler method that returns a Mono or Flux can have a fallback")
                    .hasStackTraceContaining("LIM-");
        }
    }
}
