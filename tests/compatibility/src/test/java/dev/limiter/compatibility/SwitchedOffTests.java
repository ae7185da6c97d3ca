package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** Limits can be switched off, completely or only for requests. */
@Tag("each-line")
class SwitchedOffTests {

    private static final String[] RULES = Applications.limiter("""
        web: { default-limit: { limit: 1, window: 1h } }
        rules:
          early: { paths: /automatic/**, phase: request, limit: 1, window: 1h }
          named: { limit: 1, window: 1h }
        """);

    /** @param second the status of the second call of an annotated method, which does not need web limits */
    @ParameterizedTest
    @CsvSource({"limiter.enabled=false, 200", "limiter.mode=off, 200", "limiter.web.enabled=off, 429"})
    void limitsNothing(String property, int second) {
        try (ConfigurableApplicationContext application = Applications.start(Limited.class, RULES, property)) {
            Clients clients = Applications.clientsOf(application);
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> answer = clients.get("/automatic/x");
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.headers().firstValue("RateLimit")).isEmpty();
            }
            assertThat(Operator.of(application).statuses(2, "/annotated/named")).containsExactly(200, second);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, OpenSecurity.class, LimitedEndpoints.class})
    static class Limited {}
}
