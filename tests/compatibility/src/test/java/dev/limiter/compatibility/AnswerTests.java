package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The answers to clients, to the letter. */
@Tag("each-line")
@SharedApplication
class AnswerTests {

    @Autowired
    private VirtualTimeSource clock;

    private Clients clients;

    @BeforeEach
    void forgetEarlierTests(@LocalServerPort int port) {
        clients = new Clients(port);
        Applications.startAnotherDay(clock);
    }

    @Test
    void permittedAnswerTellsEachLimit() {
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
    void rejectedAnswerNamesTheLimitThatRejected() {
        IntStream.range(0, 2).forEach(i -> clients.get("/orders/1"));

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
    void rejectionChargesNoneOfTheLimits() {
        IntStream.range(0, 9).forEach(i -> clients.get("/orders/1"));
        clock.advance(Duration.ofSeconds(1));

        HttpResponse<String> answer = clients.get("/orders/1");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertFields(
                answer.headers(),
                "\"orders-burst\";q=2;w=1, \"orders-hourly\";q=3;w=3600",
                "\"orders-burst\";r=1;t=1, \"orders-hourly\";r=0;t=1799");
    }

    @Test
    void ruleAppliesToItsMethodsOnly() {
        IntStream.range(0, 2).forEach(i -> clients.get("/orders/1"));

        assertThat(clients.send("POST", "/orders/1").statusCode()).isEqualTo(429);
        HttpResponse<String> other = clients.send("PUT", "/orders/1");
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(other.headers().firstValue("RateLimit-Policy")).hasValue("\"default\";q=100;w=3600");
    }

    @Test
    void otherSpellingsOfTheUrlShareItsLimit() {
        IntStream.range(0, 2).forEach(i -> clients.get("/orders/1"));

        assertThat(clients.get("/orders/%31").statusCode()).isEqualTo(429);
        assertThat(clients.get("/orders/1;x=1").statusCode()).isIn(400, 429);
        assertThat(clients.send("HEAD", "/orders/1").statusCode()).isEqualTo(429);
        assertThat(clients.send("INVENTED", "/orders/1").statusCode()).isIn(400, 405, 429, 501);
    }

    @Test
    void annotatedMethodAnswersLikeARule() {
        IntStream.range(0, 2)
                .forEach(i ->
                        assertThat(clients.get("/annotated/named").statusCode()).isEqualTo(200));

        HttpResponse<String> answer = clients.get("/annotated/named");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertFields(answer.headers(), "\"named\";q=2;w=3600", "\"named\";r=0;t=1800");
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1800");
        assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(answer.body()).contains("\"instance\":\"/annotated/named\",\"violated-policies\":[\"named\"]");
    }

    @Test
    void annotatedMethodTellsWhereTheClientStands() {
        HttpHeaders headers =
                clients.get("/annotated/token-bucket", "X-Api-Key", "a").headers();

        assertFields(headers, "\"tokenBucket\";q=100;w=3600", "\"tokenBucket\";r=99;t=3564");
    }

    @Test
    void annotationBelowTheControllerIsAnsweredTheSame() {
        IntStream.range(0, 2)
                .forEach(i -> assertThat(clients.get("/annotated/available").statusCode())
                        .isEqualTo(200));

        HttpResponse<String> answer = clients.get("/annotated/available");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1800");
        assertThat(answer.body()).contains("\"violated-policies\":[\"available\"]");
        assertThat(clients.get("/annotated/reserved").statusCode()).isEqualTo(200);
    }

    @Test
    void fallbackAnswersInstead() {
        IntStream.range(0, 2).forEach(i -> clients.get("/annotated/fallback/ann"));

        HttpResponse<String> answer = clients.get("/annotated/fallback/ann");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("instead for ann by 2");
        assertThat(clients.get("/annotated/fallback/bea").body()).isEqualTo("for bea");
    }

    @Test
    void handlerForExactlyThisExceptionAnswersInstead() {
        clients.get("/own");

        HttpResponse<String> answer = clients.get("/own");

        assertThat(answer.statusCode()).isEqualTo(418);
        assertThat(answer.body()).isEqualTo("later");
    }

    @Test
    void shadowRuleTellsAndRejectsNothing() {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = clients.get("/shadow");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("RateLimit-Policy")).hasValue("\"default\";q=100;w=3600");
        }
    }

    private static void assertFields(HttpHeaders headers, String policy, String remaining) {
        assertThat(headers.allValues("RateLimit-Policy")).containsExactly(policy);
        assertThat(headers.allValues("RateLimit")).containsExactly(remaining);
    }
}
