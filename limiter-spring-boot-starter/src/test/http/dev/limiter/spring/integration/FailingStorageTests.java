package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;

/** A custom storage that fails, without failover. */
@Yml("""
        limiter.rules:
          test: { paths: /limited, limit: 5, window: 1h }
        """)
@ExtendWith(OutputCaptureExtension.class)
class FailingStorageTests extends WebTestSupport {

    @Test
    void failureIsAnErrorAndLoggedOnceAMinute(CapturedOutput output) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/limited").statusCode()).isEqualTo(500);
        }
        assertThat(output).containsOnlyOnce("Deciding a request failed").containsOnlyOnce("the row is locked");
    }

    @TestApplication
    static class Controller {

        @Bean
        static RateLimiterStorage storage() {
            return new RateLimiterStorage() {

                @Override
                public Decision decide(List<Charge> charges) {
                    throw new IllegalStateException("the row is locked");
                }

                @Override
                public Decision peek(List<Charge> charges) {
                    throw new IllegalStateException("the row is locked");
                }

                @Override
                public void reset(Rule rule, String key) {}

                @Override
                public long size() {
                    return 0;
                }
            };
        }

        @GetMapping("/limited")
        String limited() {
            return "ok";
        }
    }
}
