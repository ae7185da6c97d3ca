package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.spring.VirtualTime;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemBodyTests {

    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(new VirtualTime()).build();

    @Test
    void namesAllPoliciesThatRefuse() {
        Rule rule = Rule.of(
                "orders",
                Limit.fixedWindow(1, Duration.ofSeconds(1)).named("burst"),
                Limit.fixedWindow(5, Duration.ofHours(1)).named("hourly"),
                Limit.fixedWindow(1, Duration.ofDays(1)).named("daily"));
        limiters.tryAcquire(rule, "");

        assertThat(ProblemBody.json(
                        ProblemBody.Problem.QUOTA_EXCEEDED,
                        429,
                        limiters.tryAcquire(rule, ""),
                        "/api/orders",
                        OptionalLong.of(12)))
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                        + "\"status\":429,"
                        + "\"detail\":\"The limit orders-burst, orders-daily is used up; retry after 12 s.\","
                        + "\"instance\":\"/api/orders\","
                        + "\"violated-policies\":[\"orders-burst\",\"orders-daily\"],"
                        + "\"retry-after\":12}");
    }

    @Test
    void saysThatWaitingIsOfNoUse() {
        Rule rule = Rule.of("orders", Limit.fixedWindow(1, Duration.ofSeconds(1)));
        Decision never = limiters.tryAcquire(rule, "", 2);

        assertThat(ProblemBody.json(ProblemBody.Problem.QUOTA_EXCEEDED, 503, never, "/", OptionalLong.empty()))
                .contains("\"status\":503,")
                .contains("can ever grant")
                .doesNotContain("retry-after");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "/a\"b,      /a\\\"b",
                "/a\\b,      /a\\\\b",
                "/<script>,  /\\u003cscript\\u003e",
                "/é\u2028,   /\\u00e9\\u2028",
                "/a\u0001b,  /a\\u0001b",
            })
    void escapesThePath(String path, String escaped) {
        Rule rule = Rule.of("orders", Limit.fixedWindow(1, Duration.ofSeconds(1)));
        Decision decision = limiters.tryAcquire(rule, "", 2);

        assertThat(ProblemBody.json(ProblemBody.Problem.QUOTA_EXCEEDED, 429, decision, path, OptionalLong.empty()))
                .contains("\"instance\":\"" + escaped + "\"");
    }
}
