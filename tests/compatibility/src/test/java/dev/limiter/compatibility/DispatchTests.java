package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** A request is charged once, however often the container dispatches it, and to the endpoint that serves it. */
@Tag("each-line")
@SharedApplication
class DispatchTests {

    @Autowired
    private VirtualTimeSource clock;

    @Autowired
    private MeterRegistry meters;

    private Clients clients;

    @BeforeEach
    void forgetEarlierTests(@LocalServerPort int port) {
        clients = new Clients(port);
        Applications.startAnotherDay(clock);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/callable", "/deferred", "/events"})
    void asynchronousRequestsAreChargedOnce(String path) {
        assertCharged("GET", path, 200, "GET " + path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/callable", "/deferred", "/events"})
    void asynchronousRequestsAreRejected(String path) {
        IntStream.range(0, 100).forEach(i -> clients.get(path));

        assertThat(clients.get(path).statusCode()).isEqualTo(429);
    }

    @Test
    void asynchronousFailuresAreChargedOnce() {
        assertCharged("GET", "/deferred-error", 500, "GET /deferred-error");
    }

    @Test
    void forwardIsFree() {
        assertCharged("GET", "/forward", 200, "GET /forward");
    }

    @Test
    void sendErrorIsChargedOnce() {
        assertCharged("GET", "/send-error", 500, "GET /send-error");
    }

    @Test
    void unhandledExceptionIsChargedOnce() {
        assertCharged("GET", "/exception", 500, "GET /exception");
    }

    @Test
    void headSharesTheLimitOfGet() {
        assertCharged("HEAD", "/plain", 200, "GET /plain");

        IntStream.range(0, 99).forEach(i -> clients.get("/plain"));
        assertThat(clients.send("HEAD", "/plain").statusCode()).isEqualTo(429);
        assertThat(clients.get("/plain").statusCode()).isEqualTo(429);
    }

    @Test
    void functionalRouteIsChargedByItsPattern() {
        assertCharged("GET", "/routed/1", 200, "GET /routed/{id}");

        IntStream.range(0, 99).forEach(i -> clients.get("/routed/" + i));
        assertThat(clients.get("/routed/another").statusCode()).isEqualTo(429);
    }

    @Test
    void unknownUrlIsFree() {
        assertFree("GET", "/unknown", 404);
    }

    @Test
    void staticResourceIsFree() {
        assertFree("GET", "/file.txt", 200);
    }

    @Test
    void wrongMethodIsFree() {
        assertFree("POST", "/plain", 405);
    }

    @Test
    void preflightIsFree() {
        Map<String, Double> before = charges();

        HttpResponse<String> answer = clients.send(
                "OPTIONS", "/plain", "Origin", "http://example.com", "Access-Control-Request-Method", "GET");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).hasValue("http://example.com");
        assertThat(charges()).isEqualTo(before);
    }

    @Test
    void preflightWithoutCorsConfigurationIsFree() {
        Map<String, Double> before = charges();

        clients.send("OPTIONS", "/forwarded", "Origin", "http://example.com", "Access-Control-Request-Method", "GET");

        assertThat(charges()).isEqualTo(before);
    }

    @Test
    void actuatorIsFree() {
        assertFree("GET", "/actuator/health", 200);
    }

    @Test
    void whatNoEndpointServesIsOneResourceWhenAsked() {
        try (ConfigurableApplicationContext application = Applications.start(
                Static.class,
                "limiter.web.default-limit.limit=3",
                "limiter.web.default-limit.window=1h",
                "limiter.web.static-resources=true")) {
            Clients clients = Applications.clientsOf(application);

            assertThat(clients.get("/file.txt").statusCode()).isEqualTo(200);
            assertThat(clients.get("/unknown").statusCode()).isEqualTo(404);
            assertThat(clients.get("/file.txt").statusCode()).isEqualTo(200);
            assertThat(clients.get("/file.txt").statusCode()).isEqualTo(429);
            assertThat(clients.get("/unknown").statusCode()).isEqualTo(429);
            assertThat(clients.get("/automatic/x").statusCode()).isEqualTo(200);
        }
    }

    /** One permit of that resource's, and of no other. */
    private void assertCharged(String method, String path, int status, String resource) {
        Map<String, Double> expected = charges();
        expected.merge(resource, 1.0, Double::sum);

        assertThat(clients.send(method, path).statusCode()).isEqualTo(status);

        assertThat(charges()).isEqualTo(expected);
    }

    private void assertFree(String method, String path, int status) {
        Map<String, Double> before = charges();

        assertThat(clients.send(method, path).statusCode()).isEqualTo(status);

        assertThat(charges()).isEqualTo(before);
    }

    /** The charges so far, by resource. */
    private Map<String, Double> charges() {
        Map<String, Double> charges = new java.util.TreeMap<>();
        for (Counter counter :
                meters.find("limiter.decisions").tag("outcome", "permitted").counters()) {
            charges.merge(counter.getId().getTag("resource"), counter.count(), Double::sum);
        }
        charges.values().removeIf(count -> count == 0);
        return charges;
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, OpenSecurity.class, LimitedEndpoints.ByRule.class})
    static class Static {}
}
