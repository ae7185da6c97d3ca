package dev.limiter.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** A typical application with its own beans, responses, users and meters, on each line of Spring Boot. */
@Tag("each-line")
@SpringBootTest(classes = TestApplication.class, webEnvironment = WebEnvironment.RANDOM_PORT)
class ApplicationTests {

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

    private List<Integer> statuses(int requests, String path, String... headers) {
        return new Operator(clients).statuses(requests, path, headers);
    }

    @Test
    void runsOnTheLineOfItsModule() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("expected.spring-boot.version"));
    }

    @Test
    void permittedResponseContainsEachLimit() {
        HttpResponse<String> answer = clients.get("/orders/1");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("order 1");
        assertFields(
                answer.headers(),
                "\"orders-burst\";q=2;w=1, \"orders-hourly\";q=3;w=3600",
                "\"orders-burst\";r=1;t=1, \"orders-hourly\";r=2;t=1800");
        assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
        assertThat(answer.headers().allValues("Cache-Control")).doesNotContain("no-store");
    }

    @Test
    void rejectedResponseNamesTheRejectingLimit() {
        assertThat(statuses(2, "/orders/1")).containsOnly(200);

        HttpResponse<String> answer = clients.get("/orders/2?page=1");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertFields(
                answer.headers(),
                "\"orders-burst\";q=2;w=1, \"orders-hourly\";q=3;w=3600",
                "\"orders-burst\";r=0;t=1, \"orders-hourly\";r=1;t=1800");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(answer.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":429,\"detail\":\"The limit orders-burst is used up; retry after 1 s.\","
                        + "\"instance\":\"/orders/2\",\"violated-policies\":[\"orders-burst\"],\"retry-after\":1}");
    }

    @Test
    void ruleAppliesToItsMethodsOnly() {
        assertThat(statuses(2, "/orders/1")).containsOnly(200);

        assertThat(clients.send("POST", "/orders/1").statusCode()).isEqualTo(429);
        HttpResponse<String> other = clients.send("PUT", "/orders/1");
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(other.headers().firstValue("RateLimit-Policy")).hasValue("\"default\";q=100;w=3600");
    }

    @Test
    void annotatedMethodRespondsLikeARule() {
        assertThat(statuses(2, "/annotated/named")).containsOnly(200);

        HttpResponse<String> answer = clients.get("/annotated/named");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertFields(answer.headers(), "\"named\";q=2;w=3600", "\"named\";r=0;t=1800");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1800");
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(answer.body()).contains("\"instance\":\"/annotated/named\",\"violated-policies\":[\"named\"]");
    }

    @Test
    void fallbackRespondsInstead() {
        assertThat(statuses(2, "/annotated/fallback/ann")).containsOnly(200);

        HttpResponse<String> answer = clients.get("/annotated/fallback/ann");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("instead for ann by 2");
        assertThat(clients.get("/annotated/fallback/bea").body()).isEqualTo("for bea");
    }

    /**
     * Except in shadow mode, and for requests without an endpoint, to which the automatic limit does not apply either.
     */
    @ParameterizedTest
    @CsvSource({
        "GET, /shadow, 200, true",
        "GET, /unknown, 404, false",
        "GET, /file.txt, 200, false",
        "POST, /plain, 405, false",
        "GET, /actuator/health, 200, false"
    })
    void nothingIsRejectedThatIsNotLimited(String method, String path, int status, boolean automatic) {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = clients.send(method, path);
            assertThat(answer.statusCode()).isEqualTo(status);
            assertThat(answer.headers().allValues("RateLimit-Policy"))
                    .isEqualTo(automatic ? List.of("\"default\";q=100;w=3600") : List.of());
        }
    }

    private static void assertFields(HttpHeaders headers, String policy, String remaining) {
        assertThat(headers.allValues("RateLimit-Policy")).containsExactly(policy);
        assertThat(headers.allValues("RateLimit")).containsExactly(remaining);
    }

    @Test
    void everyUserHasAnOwnLimitAndUnknownOnesShareOne() {
        assertThat(statuses(3, "/mine")).containsExactly(200, 200, 429);
        for (String user : List.of("alice:a", "bob:b")) {
            String basic = "Basic " + Base64.getEncoder().encodeToString(user.getBytes(UTF_8));
            assertThat(statuses(3, "/mine", "Authorization", basic)).containsExactly(200, 200, 429);
        }
    }

    /** Two libraries, each with its own annotation {@code @RateLimiter}. */
    @Test
    void resilience4jLimitsItsMethodsAndWeOurs() {
        assertThat(statuses(4, "/ours")).containsExactly(200, 200, 200, 429);
        assertThat(statuses(2, "/theirs")).containsOnly(200);
        assertThat(clients.get("/theirs").body()).isEqualTo("rejected by resilience4j");
    }

    @Test
    void decisionsAreCountedWithoutKeys() {
        double permitted = count("limiter.decisions", "orders", "permitted");
        double rejected = count("limiter.decisions", "orders", "rejected");
        double near = count("limiter.near.limit", "orders", "permitted");
        double shadow = count("limiter.decisions", "shadow", "shadow-rejected");

        statuses(5, "/orders/1");
        statuses(5, "/shadow");
        statuses(1, "/annotated/token-bucket", "X-Api-Key", "a-secret");

        assertThat(count("limiter.decisions", "orders", "permitted") - permitted)
                .isEqualTo(2);
        assertThat(count("limiter.decisions", "orders", "rejected") - rejected).isEqualTo(3);
        assertThat(count("limiter.near.limit", "orders", "permitted") - near)
                .as("the second of two")
                .isEqualTo(1);
        assertThat(count("limiter.decisions", "shadow", "shadow-rejected") - shadow)
                .isEqualTo(3);
        assertThat(meters.get("limiter.keys").tag("storage", "memory").gauge().value())
                .isPositive();
        assertThat(meters.getMeters())
                .filteredOn(meter -> meter.getId().getName().startsWith("limiter."))
                .isNotEmpty()
                .noneMatch(meter -> meter.getId().getTags().toString().contains("a-secret"));
        assertThat(clients.get("/actuator/metrics/limiter.decisions").body()).contains("\"rule\"", "\"outcome\"");
    }

    private double count(String meter, String rule, String outcome) {
        return meters.find(meter).tags("rule", rule, "outcome", outcome).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
