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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;

/** Without Redis, one of three instances permits a third of each limit, but shows the whole limit. */
@Yml("""
        spring.data.redis.port: 1
        management.endpoints.web.exposure.include: limiter
        limiter:
          storage: redis
          redis: { instances: 3 }
          web: { headers: both }
          rules:
            orders: { paths: /orders, key: ip, limit: 6, window: 1h }
            plain: { paths: /plain, limit: 6, window: 1h, headers: ietf }
            login: { paths: /login, key: ip, limit: 6, window: 1h, ban: { after: 5, within: 1h, for: 1h } }
            waiting: { paths: /waiting, key: ip, limit: 6, window: 1h, max-wait: 1ms,
                ban: { after: 5, within: 1h, for: 1h } }
            held: { paths: /held, limit: 6, algorithm: concurrency }
        """)
class ShareInOutageTests extends WebTestSupport {

    /** Also with a limit that the application uses directly, without a rule. */
    @ParameterizedTest
    @ValueSource(strings = {"orders", "own"})
    void rejectedClientsSeeTheWholeLimit(String rule) {
        assertStatuses(List.of(200, 200), "/" + rule);

        HttpResponse<String> rejected = get("/" + rule);
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"" + rule + "\";q=6;w=3600");
        assertThat(field(rejected, "X-RateLimit-Limit")).isEqualTo("6");
        assertThat(field(rejected, "X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"" + rule + "\";r=0;t=1800");
    }

    /** A third of the limit refills per window. */
    @Test
    void permittedClientsSeeTheRateOfTheShare() {
        HttpResponse<String> permitted = get("/plain");
        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"plain\";q=6;w=3600");
        assertThat(field(permitted, "RateLimit")).isEqualTo("\"plain\";r=1;t=1800");
    }

    /** An instance with only a share of the limit does not ban, because the client may have kept to the whole limit. */
    @ParameterizedTest
    @ValueSource(strings = {"/login", "/waiting"})
    void exhaustedShareDoesNotBan(String path) {
        List<String> answers =
                IntStream.range(0, 15).mapToObj(i -> get(path).body()).toList();
        assertThat(answers.stream().filter("served"::equals)).hasSize(2);
        assertThat(answers).noneMatch(body -> body.contains("#abnormal-usage-detected"));
    }

    @Test
    void explanationShowsTheLocalFallback() {
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
    void permitsInFlightOfAllInstancesAreNotShown() {
        String standing = get("/actuator/limiter/held?key=").body();
        assertThat(JsonPath.<String>read(standing, "$.buckets[0].onFailure")).isEqualTo("local");
        assertThat(JsonPath.<Integer>read(standing, "$.buckets[0].limits[0].limit"))
                .isEqualTo(6);
        assertThat(standing).doesNotContain("inFlight");
    }

    @TestApplication
    static class Endpoints {

        private static final Rule OWN = Rule.of("own", Limit.tokenBucket(6, Duration.ofHours(1)));

        private final RateLimiters limiters;

        Endpoints(RateLimiters limiters) {
            this.limiters = limiters;
        }

        @GetMapping({"/orders", "/plain", "/held", "/login", "/waiting"})
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
