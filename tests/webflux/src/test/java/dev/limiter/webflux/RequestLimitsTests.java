package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Annotated methods of a WebFlux application. The tests of the starter over HTTP also run here. */
@org.junit.jupiter.api.Timeout(20)
class RequestLimitsTests {

    private static final Applications applications = new Applications();
    private static final String ANN = "Basic YW5uOnNlY3JldA==";
    private static final String BOB = "Basic Ym9iOnNlY3JldA==";
    private static Clients clients;

    @BeforeAll
    static void start() {
        clients = Applications.clients(applications.start(Shop.class, "limiter.enabled: true"));
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain", "/mono/1", "/future"})
    void eachKindOfHandlerIsLimited(String path) {
        for (int i = 0; i < 2; i++) {
            assertThat(clients.get(path).statusCode()).isNotEqualTo(429);
        }
        assertThat(clients.get(path).statusCode()).isEqualTo(429);
    }

    /** No rule of the request itself needs the user. */
    @Test
    void keyOfTheUserIsKnownToMethodsThatTheHandlerCalls() {
        assertThat(clients.get("/free/mine", "Authorization", ANN).statusCode()).isEqualTo(200);
        assertThat(clients.get("/free/mine", "Authorization", ANN).statusCode()).isEqualTo(429);
        assertThat(clients.get("/free/mine", "Authorization", BOB).statusCode()).isEqualTo(200);
    }

    @Test
    void rejectedMethodCallsItsFallback() {
        assertThat(clients.get("/fallback").body()).isEqualTo("fresh");
        assertThat(clients.get("/fallback").body()).isEqualTo("fresh");
        assertThat(clients.get("/fallback").body()).isEqualTo("cached");
    }

    @Test
    void rejectionOfAServiceIsARejectionOfTheRequest() {
        for (int i = 0; i < 3; i++) {
            assertThat(clients.get("/stock/tea").statusCode()).isEqualTo(200);
        }
        assertThat(clients.get("/stock/tea").statusCode()).isEqualTo(429);
        assertThat(clients.get("/stock/milk").statusCode()).isEqualTo(200);
    }

    @Test
    void argumentsOfAPublishingHandlerMayBeItsKey() {
        assertThat(clients.get("/mono/a").statusCode()).isEqualTo(200);
        assertThat(clients.get("/mono/a").statusCode()).isEqualTo(200);
        assertThat(clients.get("/mono/a").statusCode()).isEqualTo(429);
        assertThat(clients.get("/mono/b").statusCode()).isEqualTo(200);
    }
}
