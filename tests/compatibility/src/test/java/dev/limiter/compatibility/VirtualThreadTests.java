package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.WithVirtualTime;
import dev.limiter.testkit.Clients;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Requests on virtual threads, which require Java 21. */
@SpringBootTest(
        classes = VirtualThreadTests.Application.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.config.name=none",
            "spring.threads.virtual.enabled=true",
            "limiter.rules.window.paths=/rules/**",
            "limiter.rules.window.limit=100",
            "limiter.rules.window.window=1h",
            "limiter.rules.window.key=header:X-Api-Key",
            "limiter.rules.window.algorithm=sliding-window-counter"
        })
@Tag("each-line")
@WithVirtualTime
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadTests {

    private static final Map<String, Long> EXACTLY_100 = Map.of("alice 200", 100L, "alice 429", 900L);

    private Clients clients;

    @BeforeEach
    void connect(@LocalServerPort int port) {
        clients = new Clients(port);
    }

    @Test
    void handlersRunOnVirtualThreads() {
        assertThat(clients.get("/thread").body()).startsWith("VirtualThread");
    }

    @Test
    void annotationPermitsExactlyItsLimit() {
        assertThat(clients.storm("/annotated", "alice")).isEqualTo(EXACTLY_100);
    }

    @Test
    void rulePermitsExactlyItsLimit() {
        assertThat(clients.storm("/rules/x", "alice")).isEqualTo(EXACTLY_100);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OpenSecurity.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().toString();
        }

        @RateLimiter(limit = 100, window = "1h", key = "header:X-Api-Key")
        @GetMapping("/annotated")
        String annotated() {
            return "served";
        }

        @GetMapping("/rules/x")
        String byRule() {
            return "served";
        }
    }
}
