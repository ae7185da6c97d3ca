package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Actuator endpoints stay reachable at their base path, even if a rule rejects everything else. */
@Tag("each-line")
class ActuatorPathTests {

    @Test
    void endpointsAreFreeAtTheirBasePath() {
        try (ConfigurableApplicationContext application = Applications.start(
                Operated.class,
                Applications.limiter(
                        """
                        rules:
                          all: { paths: /**, phase: request, limit: 2, window: 1h }
                        """,
                        "management.endpoints.web.base-path=/manage/",
                        "management.endpoints.web.exposure.include=limiter"))) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 4; i++) {
                assertThat(clients.get("/manage/limiter").statusCode()).isEqualTo(200);
            }
            for (int status : new int[] {404, 404, 429}) {
                assertThat(clients.get("/actuator/limiter").statusCode()).isEqualTo(status);
            }
            assertThat(clients.get("/manage/limiter").statusCode()).isEqualTo(200);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OpenSecurity.class)
    static class Operated {}
}
