package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.Outcome;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;

/** A client that continues despite rejections is banned. */
@Yml("""
        limiter:
          max-keys: 500
          rules:
            orders: { paths: /orders, key: header:X-Client, limit: 2, window: 1s, ban: { after: 3, within: 1m, for: 15m } }
            both: { paths: /orders, key: header:X-Client, limit: 1000000, window: 1h }
            many: { paths: /many, key: header:X-Client, limit: 10, window: 1h, ban: { after: 20, within: 1m, for: 15m } }
            long: { paths: /long, key: header:X-Client, limit: 1, window: 1h, ban: { after: 2, within: 1h, for: 1m } }
            watched: { paths: /watched, mode: shadow, key: header:X-Client, limit: 1, window: 1h,
                ban: { after: 1, within: 1h, for: 1h } }
            method: { limit: 1, window: 1h, ban: { after: 1, within: 1m, for: 5m } }
        """)
class BanTests extends WebTestSupport {

    @BeforeEach
    void forgetEarlierTests() {
        time.advance(Duration.ofDays(1));
        events.clear();
    }

    @Test
    void soManyRejectionsAreABan() throws Exception {
        assertThat(outcomes("/orders", 5)).containsExactly(200, 200, 429, 429, 429);
        time.advance(Duration.ofSeconds(10).plusNanos(1));

        HttpResponse<String> banned = get("/orders", "X-Client", "a");

        assertThat(banned.statusCode()).isEqualTo(429);
        assertThat(field(banned, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(banned, "Retry-After")).isEqualTo("890");
        assertThat(field(banned, "RateLimit-Policy")).isEqualTo("\"orders\";q=2;w=1");
        assertThat(field(banned, "RateLimit")).isEqualTo("\"orders\";r=0;t=890");
        assertThat(banned.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#abnormal-usage-detected\","
                        + "\"title\":\"Request not satisfied due to detection of abnormal request pattern\",\"status\":429,"
                        + "\"detail\":\"The limit orders was exceeded too often; retry after 890 s.\","
                        + "\"instance\":\"/orders\",\"violated-policies\":[\"orders\"],\"retry-after\":890}");
        assertThat(count(Outcome.REJECTED)).isEqualTo(3);
        assertThat(count(Outcome.BANNED)).isEqualTo(1);
    }

    @Test
    void bannedRequestsChargeNoOtherRule() throws Exception {
        outcomes("/orders", 5);
        long left = remaining("both", "header:x-client=1:a");
        outcomes("/orders", 20);
        assertThat(remaining("both", "header:x-client=1:a")).isEqualTo(left);
    }

    @Test
    void rejectionsStillCountAfterAShorterBan() throws Exception {
        assertThat(outcomes("/long", 3)).containsExactly(200, 429, 429);
        time.advance(Duration.ofMinutes(1));

        assertThat(field(get("/long", "X-Client", "a"), "Retry-After")).isEqualTo("60");
        assertThat(count(Outcome.BANNED)).isEqualTo(1);
    }

    @Test
    void shadowModeDoesNotBan() throws Exception {
        assertThat(outcomes("/watched", 5)).containsOnly(200);
        assertThat(count(Outcome.SHADOW_REJECTED)).isEqualTo(4);
        assertThat(count(Outcome.BANNED)).isZero();
    }

    @Test
    void callersOfAnAnnotatedMethodAreBannedToo() throws Exception {
        assertThat(outcomes("/method", 2)).containsExactly(200, 429);

        HttpResponse<String> banned = get("/method", "X-Client", "a");

        assertThat(field(banned, "Retry-After")).isEqualTo("300");
        assertThat(banned.body()).contains("#abnormal-usage-detected");
        assertThat(get("/method", "X-Client", "b").statusCode()).isEqualTo(200);
    }

    @Test
    void exactNumberIsRejectedUnderConcurrency() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(16);
        try {
            List<Future<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                answers.add(clients.submit(() -> get("/many", "X-Client", "crowd")));
            }
            for (Future<HttpResponse<String>> answer : answers) {
                answer.get();
            }
        } finally {
            clients.shutdownNow();
        }
        assertThat(count(Outcome.PERMITTED)).isEqualTo(10);
        assertThat(count(Outcome.REJECTED)).isEqualTo(20);
        assertThat(count(Outcome.BANNED)).isEqualTo(370);
    }

    @Test
    void aFloodOfOtherKeysLiftsNoBan() throws Exception {
        outcomes("/orders", 6);
        for (int i = 0; i < 1_500; i++) {
            limiters.tryAcquire(rule("orders"), "header:x-client=5:flood-" + i);
        }

        assertThat(limiters.storage().size()).isLessThanOrEqualTo(520);
        time.advance(Duration.ofMinutes(10));
        assertThat(get("/orders", "X-Client", "a").statusCode()).isEqualTo(429);
    }

    private List<Integer> outcomes(String path, int requests) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            statuses.add(get(path, "X-Client", "a").statusCode());
        }
        return statuses;
    }

    @Override
    long count(Outcome outcome) {
        return events.stream()
                .filter(event -> event.outcome() == outcome && !event.rule().equals("both"))
                .count();
    }

    @TestApplication
    static class Endpoints {

        @GetMapping({"/orders", "/many", "/long", "/watched"})
        String served() {
            return "served";
        }

        @RateLimiter(name = "method", key = "header:X-Client")
        @GetMapping("/method")
        String method() {
            return "served";
        }
    }
}
