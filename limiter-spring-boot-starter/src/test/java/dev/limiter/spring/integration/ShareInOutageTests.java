package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimitExceededException;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Without Redis, one of three instances permits a third of each limit, and still tells the whole one. */
@TestPropertySource(
        properties = {
            "limiter.storage=redis",
            "limiter.redis.instances=3",
            "spring.data.redis.port=1", // nobody listens there
            "management.endpoints.web.exposure.include=limiter",
            "limiter.web.headers=both",
            "limiter.rules.orders.paths=/orders",
            "limiter.rules.orders.key=ip",
            "limiter.rules.orders.limit=6",
            "limiter.rules.orders.window=1h",
            "limiter.rules.plain.paths=/plain",
            "limiter.rules.plain.limit=6",
            "limiter.rules.plain.window=1h",
            "limiter.rules.plain.headers=ietf",
            "limiter.rules.held.paths=/held",
            "limiter.rules.held.limit=6",
            "limiter.rules.held.algorithm=concurrency",
        })
class ShareInOutageTests extends WebTestSupport {

    /** {@code own}: what the application asks for itself, and no rule is known of. */
    @ParameterizedTest
    @ValueSource(strings = {"orders", "own"})
    void rejectedClientsAreToldTheLimit(String rule) {
        assertThat(get("/" + rule).statusCode()).isEqualTo(200);
        assertThat(get("/" + rule).statusCode()).isEqualTo(200);

        HttpResponse<String> rejected = get("/" + rule);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"" + rule + "\";q=6;w=3600");
        assertThat(field(rejected, "X-RateLimit-Limit")).isEqualTo("6");
        assertThat(field(rejected, "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"" + rule + "\";r=0;t=1800");
    }

    /** A third of the limit comes in the window. */
    @Test
    void permittedClientsAreToldHowFastTheShareComes() {
        HttpResponse<String> permitted = get("/plain");
        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"plain\";q=6;w=3600");
        assertThat(field(permitted, "RateLimit")).isEqualTo("\"plain\";r=1;t=1800");
    }

    @Test
    void explanationSaysThatTheInstanceDecidesAlone() {
        String explained =
                get("/actuator/limiter/explain?path=/orders&ip=192.0.2.7").body();
        String orders = "$.rules[?(@.rule=='orders')]";
        assertThat(JsonPath.<List<String>>read(explained, orders + ".onFailure"))
                .containsExactly("local");
        assertThat(JsonPath.<List<Integer>>read(explained, orders + ".limits[0].limit"))
                .containsExactly(6);
        assertThat(JsonPath.<List<Integer>>read(explained, orders + ".limits[0].remaining"))
                .containsExactly(2);
    }

    @Test
    void whatIsInFlightInAllInstancesIsNotTold() {
        String standing = get("/actuator/limiter/held?key=").body();
        assertThat(JsonPath.<String>read(standing, "$.buckets[0].onFailure")).isEqualTo("local");
        assertThat(JsonPath.<Integer>read(standing, "$.buckets[0].limits[0].limit"))
                .isEqualTo(6);
        assertThat(standing).doesNotContain("inFlight");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        private static final Rule OWN = Rule.of("own", Limit.tokenBucket(6, Duration.ofHours(1)));

        private final RateLimiters limiters;

        Endpoints(RateLimiters limiters) {
            this.limiters = limiters;
        }

        @GetMapping({"/orders", "/plain", "/held"})
        String served() {
            return "served";
        }

        @GetMapping("/own")
        String own() {
            Decision decision = limiters.tryAcquire(OWN.charge());
            if (!decision.permitted()) {
                throw new RateLimitExceededException(decision);
            }
            return "served";
        }
    }
}
