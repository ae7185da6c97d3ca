package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.Rule;
import dev.limiter.spring.response.PolicyTexts;
import dev.limiter.spring.response.RateLimitHeaders;
import dev.limiter.spring.rule.HeaderStyle;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletResponse;

/** The legacy fields show the tightest of several limits. */
class RateLimitHeadersTests {

    private final MockHttpServletResponse response = new MockHttpServletResponse();
    private final PolicyTexts texts = new PolicyTexts();

    @ParameterizedTest
    @CsvSource({"2, 0, 0, 20", "2, 0, 25, 25", "0, 2, 0, 10"})
    void legacyFieldsReportTheTightestLimit(long first, long second, long secondRetry, String expectedLimit) {
        RateLimitHeaders headers = new RateLimitHeaders();
        add(headers, HeaderStyle.LEGACY, permitted("a", 10, first));
        add(headers, HeaderStyle.LEGACY, permitted("b", 20, second));
        if (secondRetry > 0) {
            add(headers, HeaderStyle.LEGACY, rejected("c", 24, 24));
            add(headers, HeaderStyle.LEGACY, rejected("d", 25, secondRetry));
        }
        headers.writeTo(response::setHeader);

        assertThat(response.getHeader("X-RateLimit-Limit")).isEqualTo(expectedLimit);
    }

    private void add(RateLimitHeaders headers, HeaderStyle style, LimitStatus status) {
        headers.add(style, texts.of(Rule.of(status.policy(), status.limit())), List.of(status));
    }

    private static LimitStatus permitted(String policy, long limit, long remaining) {
        return new LimitStatus(
                policy,
                Limit.tokenBucket(limit, Duration.ofMinutes(1)),
                true,
                remaining,
                Optional.empty(),
                Duration.ofSeconds(30));
    }

    private static LimitStatus rejected(String policy, long limit, long seconds) {
        return new LimitStatus(
                policy,
                Limit.tokenBucket(limit, Duration.ofMinutes(1)),
                false,
                0,
                Optional.of(Duration.ofSeconds(seconds)),
                Duration.ofSeconds(30));
    }
}
