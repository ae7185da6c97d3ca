package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;

/** The decisions of each rule while Redis is unavailable. */
@Yml("""
        spring.data.redis.port: 1
        limiter:
          storage: redis
          redis: { on-failure: allow, instances: 1 }
          web: { default-limit: { limit: 1, window: 1h, on-failure: deny } }
          rules:
            open: { paths: [/open, /open-and-local, /all, /watched], limit: 1, window: 1h }
            closed: { paths: [/closed, /all], limit: 1, window: 1h, key: ip, on-failure: deny,
                ban: { after: 1, within: 1h, for: 1h } }
            own: { paths: /own, limit: 1, window: 1h, status: 503, on-failure: deny }
            shared: { paths: /shared, algorithm: concurrency, limit: 1, on-failure: deny }
            local: { paths: [/local, /all], limit: 2, window: 1h, on-failure: local }
            beside: { paths: /open-and-local, limit: 2, window: 1h, on-failure: local }
            login: { paths: /login, key: ip, limit: 6, window: 1h, on-failure: local,
                ban: { after: 5, within: 1h, for: 1h } }
            waiting: { paths: /waiting, key: ip, limit: 6, window: 1h, on-failure: local, max-wait: 1ms,
                ban: { after: 5, within: 1h, for: 1h } }
            watching: { paths: /watched, limit: 10, window: 1h, key: ip, on-failure: deny, mode: shadow }
        """)
class RedisFailureTests extends WebTestSupport {

    @Autowired
    private MeterRegistry meters;

    @BeforeEach
    void forget() {
        events.clear();
    }

    @Test
    void openRulesLetEverythingThroughAndClaimNothing() throws Exception {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = get("/open");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy");
        }
        assertThat(outcomes("open")).hasSize(5).containsOnly(Outcome.FAILED_OPEN);
    }

    @Test
    void closedRulesRejectEverythingWithoutBans() throws Exception {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = get("/closed");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(field(answer, "Retry-After")).isEqualTo("1");
            assertThat(answer.body())
                    .contains("#temporary-reduced-capacity", "The limit closed cannot be checked at the moment");
        }
        assertThat(outcomes("closed")).hasSize(5).containsOnly(Outcome.FAILED_CLOSED);
    }

    /** Limits that protect the application: with status 503, and with a global key. */
    @ParameterizedTest
    @ValueSource(strings = {"own", "shared"})
    void closedRulesOfTheServerSaySo(String rule) {
        HttpResponse<String> answer = get("/" + rule);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body())
                .contains(
                        "#temporary-reduced-capacity",
                        "\"status\":503",
                        "The limit " + rule + " cannot be checked at the moment");
        assertThat(outcomes(rule)).containsExactly(Outcome.FAILED_CLOSED);
    }

    /** A rule in shadow mode does not count rejections by limits that were not checked. */
    @Test
    void closedRulesInShadowModeRejectNothing() {
        for (int i = 0; i < 5; i++) {
            assertThat(get("/watched").statusCode()).isEqualTo(200);
        }
        assertThat(outcomes("watching")).hasSize(5).containsOnly(Outcome.FAILED_OPEN);
        assertThat(meters.find("limiter.rejections").tag("rule", "watching").counters())
                .isEmpty();
    }

    @Test
    void localRulesCountInMemory() throws Exception {
        assertThat(field(get("/local"), "RateLimit")).startsWith("\"local\";r=1;");
        assertThat(get("/local").statusCode()).isEqualTo(200);
        assertThat(get("/local").body()).contains("#quota-exceeded");
        assertThat(outcomes("local")).containsExactly(Outcome.FAILED_LOCAL, Outcome.FAILED_LOCAL, Outcome.REJECTED);
    }

    /** The only instance has the whole limit, so rejections are counted for the ban. */
    @ParameterizedTest
    @ValueSource(strings = {"/login", "/waiting"})
    void exhaustedWholeLimitBans(String path) {
        List<String> answers =
                IntStream.range(0, 15).mapToObj(i -> get(path).body()).toList();
        assertThat(answers.stream().filter("served"::equals)).hasSize(6);
        assertThat(answers.stream().filter(body -> body.contains("#abnormal-usage-detected")))
                .hasSize(4);
    }

    @Test
    void uncountedRulesHaveNoFields() throws Exception {
        assertThat(field(get("/open-and-local"), "RateLimit")).startsWith("\"beside\";r=1;");
        get("/open-and-local");
        assertThat(get("/open-and-local").statusCode()).isEqualTo(429);
        assertThat(outcomes("open")).containsExactly(Outcome.FAILED_OPEN, Outcome.FAILED_OPEN);
    }

    @Test
    void oneClosedRuleRejectsForAll() throws IOException, InterruptedException {
        assertThat(get("/all").statusCode()).isEqualTo(429);
        assertThat(outcomes("closed")).containsExactly(Outcome.FAILED_CLOSED);
        assertThat(outcomes("open")).isEmpty();
    }

    @Test
    void automaticLimitHasASayOfItsOwn() throws IOException, InterruptedException {
        assertThat(get("/other").statusCode()).isEqualTo(429);
        assertThat(outcomes("default")).containsExactly(Outcome.FAILED_CLOSED);
    }

    @TestApplication
    static class Endpoints {

        @Bean
        static MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @GetMapping({
            "/open",
            "/closed",
            "/local",
            "/open-and-local",
            "/all",
            "/watched",
            "/other",
            "/own",
            "/shared",
            "/login",
            "/waiting"
        })
        String served() {
            return "served";
        }
    }
}
