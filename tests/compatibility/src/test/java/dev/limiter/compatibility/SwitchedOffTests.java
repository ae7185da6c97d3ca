package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

@Tag("each-line")
class SwitchedOffTests {

    @ParameterizedTest
    @ValueSource(strings = {"limiter.enabled=false", "limiter.enabled=off", "limiter.mode=off"})
    void limitsNothing(String property) {
        try (ConfigurableApplicationContext application = Applications.start(
                Limited.class,
                property,
                "limiter.web.default-limit.limit=1",
                "limiter.web.default-limit.window=1h",
                "limiter.rules.early.paths=/automatic/**",
                "limiter.rules.early.phase=request",
                "limiter.rules.early.limit=1",
                "limiter.rules.early.window=1h",
                "limiter.rules.named.limit=1",
                "limiter.rules.named.window=1h")) {
            Clients clients = Applications.clientsOf(application);

            for (int i = 0; i < 3; i++) {
                assertUnlimited(clients.get("/automatic/x"));
                assertUnlimited(clients.get("/annotated/named"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"limiter.web.enabled=false", "limiter.web.enabled=off"})
    void requestsAreNotLimitedWithoutWebPartButMethodsAre(String property) {
        try (ConfigurableApplicationContext application = Applications.start(
                Limited.class,
                property,
                "limiter.web.default-limit.limit=1",
                "limiter.web.default-limit.window=1h",
                "limiter.rules.early.paths=/automatic/**",
                "limiter.rules.early.phase=request",
                "limiter.rules.early.limit=1",
                "limiter.rules.early.window=1h",
                "limiter.rules.named.limit=1",
                "limiter.rules.named.window=1h")) {
            Clients clients = Applications.clientsOf(application);

            for (int i = 0; i < 3; i++) {
                assertUnlimited(clients.get("/automatic/x"));
            }
            assertThat(clients.get("/annotated/named").statusCode()).isEqualTo(200);
            assertThat(clients.get("/annotated/named").statusCode()).isNotEqualTo(200);
        }
    }

    private static void assertUnlimited(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("RateLimit")).isEmpty();
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, OpenSecurity.class, LimitedEndpoints.class})
    static class Limited {}
}
