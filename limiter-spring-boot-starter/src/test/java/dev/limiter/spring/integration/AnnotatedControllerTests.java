package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Algorithm;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.test.VirtualTimeSource;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

class AnnotatedControllerTests extends WebTestSupport {

    @Autowired
    private VirtualTimeSource time;

    @ParameterizedTest
    @ValueSource(strings = {"/fixed", "/sliding", "/leaky", "/token"})
    void rejectsWhatIsOverTheLimitByEachAlgorithm(String path) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get(path).statusCode()).isEqualTo(200);
        }
        assertThat(get(path).statusCode()).isEqualTo(429);

        time.advance(Duration.ofHours(2));
        assertThat(get(path).statusCode()).isEqualTo(200);
    }

    @Test
    void answersAsInTheContract() throws Exception {
        HttpResponse<String> permitted = get("/answer");
        assertThat(permitted.statusCode()).isEqualTo(200);
        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"answer\";q=1;w=60");
        assertThat(field(permitted, "RateLimit")).isEqualTo("\"answer\";r=0;t=60");
        assertThat(permitted.headers().firstValue("Retry-After")).isEmpty();

        time.advance(Duration.ofMillis(48_500));
        HttpResponse<String> rejected = get("/answer?q=\"".replace("\"", "%22"));
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(rejected, "Retry-After")).isEqualTo("12");
        assertThat(field(rejected, "RateLimit-Policy")).isEqualTo("\"answer\";q=1;w=60");
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"answer\";r=0;t=12");
        assertThat(field(rejected, "Cache-Control")).isEqualTo("no-store");
        assertThat(rejected.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":429,\"detail\":\"The limit answer is used up; retry after 12 s.\","
                        + "\"instance\":\"/answer\",\"violated-policies\":[\"answer\"],"
                        + "\"retry-after\":12}");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Controller.class})
    static class Application {}

    @RestController
    static class Controller {

        @GetMapping("/fixed")
        @RateLimiter(limit = 3, window = "1h", algorithm = Algorithm.FIXED_WINDOW)
        String fixed() {
            return "fixed";
        }

        @GetMapping("/sliding")
        @RateLimiter(limit = 3, window = "1h", algorithm = Algorithm.SLIDING_WINDOW_COUNTER, buckets = 4)
        String sliding() {
            return "sliding";
        }

        @GetMapping("/leaky")
        @RateLimiter(limit = 3, window = "1h", algorithm = Algorithm.LEAKY_BUCKET)
        String leaky() {
            return "leaky";
        }

        @GetMapping("/token")
        @RateLimiter(limit = 1, window = "1h", burst = 3)
        String token() {
            return "token";
        }

        @GetMapping("/answer")
        @RateLimiter(limit = 1)
        String answer() {
            return "answer";
        }
    }
}
