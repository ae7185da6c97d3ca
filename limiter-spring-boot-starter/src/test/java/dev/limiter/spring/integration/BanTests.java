package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import dev.limiter.test.VirtualTimeSource;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A client that goes on in spite of rejections is rejected outright for a while. */
@TestPropertySource(
        properties = {
            "limiter.max-keys=2000",
            "limiter.rules.orders.paths=/orders",
            "limiter.rules.orders.key=header:X-Client",
            "limiter.rules.orders.limit=2",
            "limiter.rules.orders.window=1s",
            "limiter.rules.orders.ban.after=3",
            "limiter.rules.orders.ban.within=1m",
            "limiter.rules.orders.ban.for=15m",
            "limiter.rules.both.paths=/orders",
            "limiter.rules.both.key=header:X-Client",
            "limiter.rules.both.limit=1000000",
            "limiter.rules.both.window=1h",
            "limiter.rules.many.paths=/many",
            "limiter.rules.many.key=header:X-Client",
            "limiter.rules.many.limit=10",
            "limiter.rules.many.window=1h",
            "limiter.rules.many.ban.after=20",
            "limiter.rules.many.ban.within=1m",
            "limiter.rules.many.ban.for=15m",
            "limiter.rules.long.paths=/long",
            "limiter.rules.long.key=header:X-Client",
            "limiter.rules.long.limit=1",
            "limiter.rules.long.window=1h",
            "limiter.rules.long.ban.after=2",
            "limiter.rules.long.ban.within=1h",
            "limiter.rules.long.ban.for=1m",
            "limiter.rules.watched.paths=/watched",
            "limiter.rules.watched.mode=shadow",
            "limiter.rules.watched.key=header:X-Client",
            "limiter.rules.watched.limit=1",
            "limiter.rules.watched.window=1h",
            "limiter.rules.watched.ban.after=1",
            "limiter.rules.watched.ban.within=1h",
            "limiter.rules.watched.ban.for=1h",
            "limiter.rules.method.limit=1",
            "limiter.rules.method.window=1h",
            "limiter.rules.method.ban.after=1",
            "limiter.rules.method.ban.within=1m",
            "limiter.rules.method.ban.for=5m",
        })
class BanTests extends WebTestSupport {

    @Autowired
    private VirtualTimeSource time;

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private List<RateLimitEvent> events;

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
    void othersAreNotBanned() throws Exception {
        outcomes("/orders", 6);

        assertThat(get("/orders", "X-Client", "b").statusCode()).isEqualTo(200);
    }

    @Test
    void aBanEndsWhenItWasSaidToHoweverOftenItWasRejected() throws Exception {
        outcomes("/orders", 5);
        for (int i = 0; i < 10; i++) {
            time.advance(Duration.ofSeconds(80));
            assertThat(get("/orders", "X-Client", "a").statusCode()).isEqualTo(429);
        }
        time.advance(Duration.ofSeconds(100).minusNanos(1));
        assertThat(get("/orders", "X-Client", "a").statusCode()).isEqualTo(429);
        time.advance(Duration.ofNanos(1));

        assertThat(get("/orders", "X-Client", "a").statusCode()).isEqualTo(200);
        assertThat(count(Outcome.BANNED)).isEqualTo(11);
    }

    @Test
    void rejectionsThatAreLongAgoDoNotCount() throws Exception {
        assertThat(outcomes("/orders", 4)).containsExactly(200, 200, 429, 429);
        time.advance(Duration.ofMinutes(1));
        assertThat(outcomes("/orders", 4)).containsExactly(200, 200, 429, 429);
        time.advance(Duration.ofSeconds(1));

        assertThat(get("/orders", "X-Client", "a").statusCode()).isEqualTo(200);
        assertThat(count(Outcome.BANNED)).isZero();
    }

    @Test
    void whatIsBannedChargesNoOtherRule() throws Exception {
        outcomes("/orders", 5);
        long used = 1_000_000 - remaining("/orders", "both");
        outcomes("/orders", 20);
        time.advance(Duration.ofMinutes(15));

        assertThat(1_000_000 - remaining("/orders", "both")).isLessThanOrEqualTo(used);
    }

    @Test
    void rejectionsStillCountAfterAShorterBan() throws Exception {
        assertThat(outcomes("/long", 3)).containsExactly(200, 429, 429);
        time.advance(Duration.ofMinutes(1));

        assertThat(field(get("/long", "X-Client", "a"), "Retry-After")).isEqualTo("60");
        assertThat(count(Outcome.BANNED)).isEqualTo(1);
    }

    @Test
    void inShadowModeNobodyIsBanned() throws Exception {
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
    void exactlySoManyAreRejectedHoweverManyComeAtOnce() throws Exception {
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
        for (int i = 0; i < 5_000; i++) {
            get("/orders", "X-Client", "flood-" + i);
        }

        assertThat(limiters.storage().size()).isLessThanOrEqualTo(2_020);
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

    private long remaining(String path, String policy) throws Exception {
        String field = field(get(path, "X-Client", "a"), "RateLimit");
        String marker = "\"" + policy + "\";r=";
        int from = field.indexOf(marker);
        return from < 0
                ? 1_000_000 - 2
                : Long.parseLong(field.substring(from + marker.length()).split("[;,]")[0]);
    }

    private long count(Outcome outcome) {
        return events.stream()
                .filter(event -> event.outcome() == outcome && !event.rule().equals("both"))
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {

        @Bean
        List<RateLimitEvent> events() {
            return new CopyOnWriteArrayList<>();
        }

        @Bean
        RateLimitListener listener(List<RateLimitEvent> events) {
            return events::add;
        }
    }

    @RestController
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
