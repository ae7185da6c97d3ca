package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.testkit.Clients;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of a WebFlux application over a real port, with the rules that Spring MVC has. */
@org.junit.jupiter.api.Timeout(20)
class RequestLimitsTests {

    private static final Applications applications = new Applications();
    private static final String ANN = "Basic YW5uOnNlY3JldA==";
    private static final String BOB = "Basic Ym9iOnNlY3JldA==";
    private static Clients clients;

    @BeforeAll
    static void start() {
        clients = Applications.clients(applications.start(Shop.class, """
                limiter:
                  web.static-resources: true
                  rules:
                    orders: {paths: ["/orders/**"], key: "header:X-Api-Key", limit: 3, window: 1h, algorithm: fixed-window}
                    account: {paths: ["/account/**"], key: principal, limit: 2, window: 1h}
                    early: {paths: ["/early/**"], phase: request, key: ip, limit: 2, window: 1h}
                    login: {paths: ["/login"], key: ip, limit: 3, window: 1h, charge-if: "#{#response.status == 401}"}
                    shadow: {paths: ["/shadow"], key: ip, limit: 1, window: 1h, mode: shadow}
                    functional: {paths: ["/functional/**"], key: ip, limit: 2, window: 1h}
                    socket: {paths: ["/socket"], key: ip, limit: 1, window: 1h}
                    failing: {paths: ["/failing"], key: ip, limit: 5, window: 1h}
                """));
    }

    @AfterAll
    static void stop() {
        applications.close();
    }

    @Test
    void rejectionHasTheStatusFieldsAndBodyOfSpringMvc() {
        for (int left = 2; left >= 0; left--) {
            HttpResponse<String> permitted = clients.get("/orders/1", "X-Api-Key", "a");
            assertThat(permitted.statusCode()).isEqualTo(200);
            assertThat(permitted.body()).isEqualTo("order 1");
            assertThat(permitted.headers().firstValue("RateLimit-Policy")).contains("\"orders\";q=3;w=3600");
            assertThat(permitted.headers().firstValue("RateLimit").orElseThrow())
                    .startsWith("\"orders\";r=" + left);
        }
        HttpResponse<String> rejected = clients.get("/orders/2", "X-Api-Key", "a");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(rejected.headers().firstValue("Cache-Control")).contains("no-store");
        String seconds = rejected.headers().firstValue("Retry-After").orElseThrow();
        assertThat(rejected.headers().firstValue("RateLimit")).contains("\"orders\";r=0;t=" + seconds);
        assertThat(rejected.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":429,\"detail\":\"The limit orders is used up; retry after " + seconds
                        + " s.\",\"instance\":\"/orders/2\",\"violated-policies\":[\"orders\"],\"retry-after\":"
                        + seconds + "}");
        assertThat(clients.get("/orders/1", "X-Api-Key", "b").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"/plain, 2", "/mono/1, 2", "/future, 2", "/functional/7, 2", "/early/unserved, 2"})
    void eachKindOfHandlerIsLimited(String path, int limit) {
        for (int i = 0; i < limit; i++) {
            assertThat(clients.get(path).statusCode()).isNotEqualTo(429);
        }
        assertThat(clients.get(path).statusCode()).isEqualTo(429);
    }

    @Test
    void keyOfTheUserIsKnownBehindSpringSecurity() {
        assertThat(clients.get("/account/1").statusCode()).isEqualTo(401);
        assertThat(clients.get("/account/1", "Authorization", ANN).statusCode()).isEqualTo(200);
        assertThat(clients.get("/account/2", "Authorization", ANN).statusCode()).isEqualTo(200);
        assertThat(clients.get("/account/3", "Authorization", ANN).statusCode()).isEqualTo(429);
        assertThat(clients.get("/account/3", "Authorization", BOB).statusCode()).isEqualTo(200);
    }

    /** No rule of the request itself needs the user. */
    @Test
    void keyOfTheUserIsKnownToMethodsThatTheHandlerCalls() {
        assertThat(clients.get("/free/mine", "Authorization", ANN).statusCode()).isEqualTo(200);
        assertThat(clients.get("/free/mine", "Authorization", ANN).statusCode()).isEqualTo(429);
        assertThat(clients.get("/free/mine", "Authorization", BOB).statusCode()).isEqualTo(200);
    }

    @Test
    void onlyFailedLoginsAreCharged() {
        for (int i = 0; i < 5; i++) {
            assertThat(clients.get("/login?password=right").statusCode()).isEqualTo(200);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(clients.get("/login?password=wrong").statusCode()).isEqualTo(401);
        }
        assertThat(clients.get("/login?password=right").statusCode()).isEqualTo(429);
    }

    @Test
    void handlerSeesTheRulesInShadowModeThatWouldReject() {
        assertThat(clients.get("/shadow").body()).isEqualTo("exceeded null");
        assertThat(clients.get("/shadow").body()).isEqualTo("exceeded [shadow]");
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

    @Test
    void errorResponsesHaveTheFields() {
        HttpResponse<String> gone = clients.get("/failing");
        assertThat(gone.statusCode()).isEqualTo(410);
        assertThat(gone.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"failing\";r=4");
    }

    @Test
    void concurrentClientsNeverExceedTheLimit() {
        assertThat(clients.storm("/orders/5", "storm-1", "storm-2"))
                .containsEntry("storm-1 200", 3L)
                .containsEntry("storm-2 200", 3L);
    }
}
