package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The decisions of each rule while there is no Redis. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "limiter.storage=redis",
            "limiter.redis.on-failure=allow",
            "spring.data.redis.port=1", // nobody listens there
            "limiter.rules.open.paths=/open,/open-and-local,/all,/watched",
            "limiter.rules.open.limit=1",
            "limiter.rules.open.window=1h",
            "limiter.rules.closed.paths=/closed,/all",
            "limiter.rules.closed.limit=1",
            "limiter.rules.closed.window=1h",
            "limiter.rules.closed.key=ip",
            "limiter.rules.closed.on-failure=deny",
            "limiter.rules.closed.ban.after=1",
            "limiter.rules.closed.ban.within=1h",
            "limiter.rules.closed.ban.for=1h",
            "limiter.rules.own.paths=/own",
            "limiter.rules.own.limit=1",
            "limiter.rules.own.window=1h",
            "limiter.rules.own.status=503",
            "limiter.rules.own.on-failure=deny",
            "limiter.rules.shared.paths=/shared",
            "limiter.rules.shared.algorithm=concurrency",
            "limiter.rules.shared.limit=1",
            "limiter.rules.shared.on-failure=deny",
            "limiter.rules.local.paths=/local,/all",
            "limiter.rules.local.limit=2",
            "limiter.rules.local.window=1h",
            "limiter.rules.local.on-failure=local",
            "limiter.rules.beside.paths=/open-and-local",
            "limiter.rules.beside.limit=2",
            "limiter.rules.beside.window=1h",
            "limiter.rules.beside.on-failure=local",
            "limiter.rules.watching.paths=/watched",
            "limiter.rules.watching.limit=10",
            "limiter.rules.watching.window=1h",
            "limiter.rules.watching.key=ip",
            "limiter.rules.watching.on-failure=deny",
            "limiter.rules.watching.mode=shadow",
            "limiter.web.default-limit.limit=1",
            "limiter.web.default-limit.window=1h",
            "limiter.web.default-limit.on-failure=deny",
        })
class RedisFailureTests extends WebTestSupport {

    @Autowired
    private Events events;

    @Autowired
    private MeterRegistry meters;

    @BeforeEach
    void forget() {
        events.all.clear();
    }

    @Test
    void openRulesLetEverythingThroughAndClaimNothing() throws Exception {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = get("/open");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy");
        }
        assertThat(events.of("open")).hasSize(5).containsOnly(Outcome.FAILED_OPEN);
    }

    @Test
    void closedRulesRejectEverythingAndBanNobody() throws Exception {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> answer = get("/closed");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(field(answer, "Retry-After")).isEqualTo("1");
            assertThat(answer.body())
                    .contains("#temporary-reduced-capacity", "The limit closed cannot be checked at the moment");
        }
        assertThat(events.of("closed")).hasSize(5).containsOnly(Outcome.FAILED_CLOSED);
    }

    /** Rules whose rejections no client is to blame for: a limit of the application, and one that all share. */
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
        assertThat(events.of(rule)).containsExactly(Outcome.FAILED_CLOSED);
    }

    /** The limits that would have rejected are counted while one is tried out: none was asked. */
    @Test
    void closedRulesThatOnlyWatchHaveRejectedNobody() {
        for (int i = 0; i < 5; i++) {
            assertThat(get("/watched").statusCode()).isEqualTo(200);
        }
        assertThat(events.of("watching")).hasSize(5).containsOnly(Outcome.FAILED_OPEN);
        assertThat(meters.find("limiter.rejections").tag("rule", "watching").counters())
                .isEmpty();
    }

    @Test
    void localRulesCountInMemory() throws Exception {
        assertThat(field(get("/local"), "RateLimit")).startsWith("\"local\";r=1;");
        assertThat(get("/local").statusCode()).isEqualTo(200);
        assertThat(get("/local").body()).contains("#quota-exceeded");
        assertThat(events.of("local")).containsExactly(Outcome.FAILED_LOCAL, Outcome.FAILED_LOCAL, Outcome.REJECTED);
    }

    @Test
    void onlyWhatIsCountedIsTold() throws Exception {
        assertThat(field(get("/open-and-local"), "RateLimit")).startsWith("\"beside\";r=1;");
        get("/open-and-local");
        assertThat(get("/open-and-local").statusCode()).isEqualTo(429);
        assertThat(events.of("open")).containsExactly(Outcome.FAILED_OPEN, Outcome.FAILED_OPEN);
    }

    @Test
    void oneClosedRuleRejectsForAll() throws IOException, InterruptedException {
        assertThat(get("/all").statusCode()).isEqualTo(429);
        assertThat(events.of("closed")).containsExactly(Outcome.FAILED_CLOSED);
        assertThat(events.of("open")).isEmpty();
    }

    @Test
    void automaticLimitHasASayOfItsOwn() throws IOException, InterruptedException {
        assertThat(get("/other").statusCode()).isEqualTo(429);
        assertThat(events.of("default")).containsExactly(Outcome.FAILED_CLOSED);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {

        @Bean
        Events events() {
            return new Events();
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    static class Events implements RateLimitListener {

        private final List<RateLimitEvent> all = new CopyOnWriteArrayList<>();

        @Override
        public void onDecision(RateLimitEvent event) {
            all.add(event);
        }

        List<Outcome> of(String rule) {
            return all.stream()
                    .filter(event -> event.rule().equals(rule))
                    .map(RateLimitEvent::outcome)
                    .toList();
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping({"/open", "/closed", "/local", "/open-and-local", "/all", "/watched", "/other", "/own", "/shared"})
        String served() {
            return "served";
        }
    }
}
