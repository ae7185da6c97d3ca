package dev.limiter.sample;

import static dev.limiter.test.LimiterAssertions.assertThatAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.test.VirtualTimeSource;
import dev.limiter.test.WithVirtualTime;
import dev.limiter.testkit.Clients;
import dev.limiter.testkit.Conditions;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** The behaviour of the sample over HTTP, while time stands still until a test moves it. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@WithVirtualTime
class SampleApplicationTests {

    private static final Map<Integer, Long> EXACTLY_100 = Map.of(200, 100L, 429, 900L);

    @Autowired
    private VirtualTimeSource time;

    @Autowired
    private RateLimiters limiters;

    private Clients clients;

    @BeforeEach
    void connect(@LocalServerPort int port) {
        clients = new Clients(port);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"token-bucket", "leaky-bucket", "fixed-window", "sliding-window-counter", "sliding-window-log"})
    void everyAlgorithmPermitsExactlyItsLimit(String algorithm) {
        assertThat(clients.stormOf("GET", "/algorithms/" + algorithm)).isEqualTo(EXACTLY_100);
    }

    @Test
    void servesTheDashboardPage() {
        assertThat(clients.get("/limiter/").body()).contains("<title>Limiter</title>");
        assertThat(clients.get("/limiter/connection.json").body()).contains("/actuator/limiter");
    }

    @Test
    void everyApiKeyHasItsOwnLimitAndRequestsWithoutOneShareOne() {
        assertThat(clients.stormOf("GET", "/orders")).isEqualTo(EXACTLY_100);
        assertThat(clients.stormOf("GET", "/orders", "X-Api-Key", "alice")).isEqualTo(EXACTLY_100);
    }

    @Test
    void ruleByNamePermitsExactlyItsLimit() {
        assertThat(clients.stormOf("POST", "/orders")).isEqualTo(EXACTLY_100);
    }

    @Test
    void ruleByPathHasOneLimitForAllItsPaths() {
        assertThat(clients.stormOf("GET", "/reports/monday")).isEqualTo(EXACTLY_100);
        assertThatAnswer(clients.get("/reports/tuesday")).isRejected();
    }

    @Test
    void onlyFailedLoginsCount() {
        for (int i = 0; i < 100; i++) {
            assertThatAnswer(clients.send("POST", "/login?user=ann&password=tea"))
                    .isPermitted()
                    .hasRemaining("login", 5);
        }

        assertThat(clients.stormOf("POST", "/login?user=ann&password=coffee")).isEqualTo(Map.of(401, 5L, 429, 995L));
        HttpResponse<String> banned = clients.send("POST", "/login?user=ann&password=tea");
        assertThat(banned.headers().firstValue("Retry-After")).contains("900");
        assertThat(banned.body()).contains("#abnormal-usage-detected");
    }

    @Test
    void limitDependsOnThePlanAndWhatWasUsedStaysUsed() {
        assertThat(clients.stormOf("GET", "/catalog", "X-Api-Key", "dave")).isEqualTo(Map.of(200, 10L, 429, 990L));

        HttpResponse<String> gold = clients.get("/catalog", "X-Api-Key", "dave", "X-Plan", "gold");
        assertThatAnswer(gold)
                .isPermitted()
                .hasLimit("catalog", 100)
                .hasRemaining("catalog", 89)
                .hasReset("catalog", Duration.ofSeconds(3204));
    }

    @Test
    void eachLimitOfAnUploadHasItsOwnCost() {
        assertThatAnswer(clients.upload("/uploads", 600))
                .isPermitted()
                .hasRemaining("uploads-requests", 19)
                .hasRemaining("uploads-bytes", 400);
        assertThatAnswer(clients.upload("/uploads", 600))
                .isRejected()
                .hasRemaining("uploads-requests", 19)
                .hasRemaining("uploads-bytes", 400);
        assertThat(clients.upload("/uploads", 400).body()).isEqualTo("400 bytes");
    }

    @Test
    void bothLimitsOfARuleMustPermit() {
        for (int burst = 0; burst < 4; burst++) {
            IntStream.range(0, 5)
                    .forEach(i -> assertThat(
                                    clients.send("POST", "/orders/1/payment").statusCode())
                            .isEqualTo(200));
            assertThat(clients.send("POST", "/orders/1/payment").statusCode()).isEqualTo(429);
            time.advance(Duration.ofSeconds(10));
        }

        HttpResponse<String> response = clients.send("POST", "/orders/1/payment");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("RateLimit-Policy"))
                .hasValue("\"payments-burst\";q=5;w=10, \"payments-hourly\";q=20;w=3600");
        assertThat(response.headers().firstValue("RateLimit"))
                .hasValue("\"payments-burst\";r=5;t=10, \"payments-hourly\";r=0;t=3560");
        assertThat(response.headers().firstValue("Retry-After")).hasValue("3560");
        assertThat(response.body()).contains("\"violated-policies\":[\"payments-hourly\"]");
    }

    @Test
    void fallbackReplacesTheRejection() {
        IntStream.range(0, 3)
                .forEach(i ->
                        assertThat(clients.get("/recommendations/ann").body()).isEqualTo("[\"tea for ann\"]"));

        HttpResponse<String> response = clients.get("/recommendations/ann");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("[\"coffee\"]");
    }

    @Test
    void annotationOnAClassGivesEachMethodItsOwnBucket() {
        IntStream.range(0, 3)
                .forEach(i ->
                        assertThat(clients.get("/stock/available").statusCode()).isEqualTo(200));
        assertThatAnswer(clients.get("/stock/available")).isRejected();

        assertThat(clients.get("/stock/reserved").statusCode()).isEqualTo(200);
    }

    @Test
    void shadowRuleCountsAndRejectsNoRequest() {
        double before = decisions("search", "shadow-rejected");

        for (int i = 0; i < 10; i++) {
            HttpResponse<String> response = clients.get("/search");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("RateLimit-Policy")).hasValue("\"default\";q=100;w=3600");
        }

        assertThat(decisions("search", "shadow-rejected") - before).isEqualTo(7);
    }

    private double decisions(String rule, String outcome) {
        HttpResponse<String> metric =
                clients.get("/actuator/metrics/limiter.decisions?tag=rule:" + rule + "&tag=outcome:" + outcome);
        String body = metric.body();
        return metric.statusCode() == 404
                ? 0
                : Double.parseDouble(body.replaceAll("(?s).*\"statistic\":\"COUNT\",\"value\":([0-9.E]+).*", "$1"));
    }

    @Test
    void mailsAreSpacedOutAndWhoWaitsIsServedInTurn() {
        assertThatAnswer(clients.send("POST", "/mails")).isPermitted();
        CompletableFuture<HttpResponse<String>> second =
                CompletableFuture.supplyAsync(() -> clients.send("POST", "/mails"));
        awaitWaiting(1);
        time.advance(Duration.ofMillis(500));
        assertThatAnswer(second.join()).isPermitted();
    }

    @Test
    void theReserveIsForTheGoldPlan() {
        assertThat(clients.stormOf("GET", "/quotes")).isEqualTo(Map.of(200, 80L, 429, 920L));
        assertThat(clients.stormOf("GET", "/quotes", "X-Plan", "gold")).isEqualTo(Map.of(200, 20L, 429, 980L));
    }

    @Test
    void pricesStartAtAThirdOfTheRate() {
        assertThatAnswer(clients.get("/prices")).isPermitted();
        CompletableFuture<HttpResponse<String>> second = CompletableFuture.supplyAsync(() -> clients.get("/prices"));
        awaitWaiting(1);
        time.advance(Duration.ofMillis(2_900));
        assertThat(limiters.waiting()).isEqualTo(1);
        time.advance(Duration.ofMillis(100));
        assertThatAnswer(second.join()).isPermitted();
    }

    private void awaitWaiting(int count) {
        Conditions.await(() -> limiters.waiting() == count);
    }
}
