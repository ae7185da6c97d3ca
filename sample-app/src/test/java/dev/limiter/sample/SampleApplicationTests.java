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

    private static final Map<Integer, Long> EXACTLY_100 = Map.of(200, 100L, 429, 300L);

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

        assertThat(clients.stormOf("POST", "/login?user=ann&password=coffee")).isEqualTo(Map.of(401, 5L, 429, 395L));
        HttpResponse<String> banned = clients.send("POST", "/login?user=ann&password=tea");
        assertThat(banned.headers().firstValue("Retry-After")).contains("900");
        assertThat(banned.body()).contains("#abnormal-usage-detected");
    }

    @Test
    void limitDependsOnThePlanAndWhatWasUsedStaysUsed() {
        assertThat(clients.stormOf("GET", "/catalog", "X-Api-Key", "dave")).isEqualTo(Map.of(200, 10L, 429, 390L));

        HttpResponse<String> gold = clients.get("/catalog", "X-Api-Key", "dave", "X-Plan", "gold");
        assertThatAnswer(gold)
                .isPermitted()
                .hasLimit("catalog", 100)
                .hasRemaining("catalog", 89)
                .hasReset("catalog", Duration.ofSeconds(3204));
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
        assertThat(clients.stormOf("GET", "/quotes")).isEqualTo(Map.of(200, 80L, 429, 320L));
        assertThat(clients.stormOf("GET", "/quotes", "X-Plan", "gold")).isEqualTo(Map.of(200, 20L, 429, 380L));
    }

    private void awaitWaiting(int count) {
        Conditions.await(() -> limiters.waiting() == count);
    }
}
