package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;

/** Custom handlers of rejections also send the state of the limits, after refunds. */
@Yml("""
        limiter.rules:
          api: { paths: /**, scope: endpoint, limit: 5, window: 1h, algorithm: fixed-window }
          few: { paths: /few, limit: 1, window: 1h }
        """)
class CustomRejectionTests extends WebTestSupport {

    /** Rejects by a rule, an annotation of the handler, and one of a method that it calls. */
    @ParameterizedTest
    @CsvSource({"/few, few, few", "/handler, handler, Controller.handler", "/service, call, Scarce.call"})
    void rejectionHandlerReplacesTheResponse(String path, String policy, String rule) throws Exception {
        assertThat(get(path).statusCode()).isEqualTo(200);

        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).isEqualTo("own answer to " + rule);
        assertThat(field(answer, "RateLimit")).contains("\"api\";r=4;", "\"" + policy + "\";r=0;t=");
        assertThat(answer.headers().map()).doesNotContainKeys("retry-after", "content-type");
    }

    @Service
    @RateLimiter(limit = 1)
    static class Scarce {

        public String call() {
            return "served";
        }
    }

    @TestApplication
    @Import(Scarce.class)
    static class Controller {

        @Bean
        static WebStack.Rejections own() {
            return WebStack.rejections(503, "own answer to ");
        }

        private final Scarce scarce;

        Controller(Scarce scarce) {
            this.scarce = scarce;
        }

        @GetMapping("/few")
        String few() {
            return "served";
        }

        @RateLimiter(limit = 1)
        @GetMapping("/handler")
        String handler() {
            return "served";
        }

        @GetMapping("/service")
        String service() {
            return scarce.call();
        }
    }
}
