package dev.limiter.test;

import static dev.limiter.test.SpringLimiterAssertions.assertThatAnswer;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UnsupportedEncodingException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletResponse;

/** Each assertion about a response passes for the right one and fails for a wrong one. */
class TestResponseAssertTests {

    private static final TestResponse PERMITTED = answer(
            200,
            Map.of(
                    "RateLimit-Policy", List.of("\"orders\";q=10;w=60"),
                    "RateLimit", List.of("\"orders\";r=9;t=6")),
            "{\"type\":\"tea\"}");

    private static final TestResponse REJECTED = answer(
            429,
            Map.of(
                    "Retry-After", List.of("12"),
                    "RateLimit-Policy", List.of("\"orders-burst\";q=10;w=1", "\"orders-hourly\";q=1000;w=3600"),
                    "RateLimit", List.of("\"orders-burst\";r=0;t=12, \"orders-hourly\";r=512;t=3600")),
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\",\"title\":\"…\","
                    + "\"status\":429,\"violated-policies\":[\"orders-burst\"],\"retry-after\":12}");

    @Test
    void permitted() {
        assertThatAnswer(PERMITTED)
                .isPermitted()
                .hasNoRetryAfter()
                .hasPolicies("orders")
                .hasLimit("orders", 10)
                .hasRemaining("orders", 9)
                .hasReset("orders", Duration.ofSeconds(6))
                .violates();
        fails(() -> assertThatAnswer(PERMITTED).isRejected());
        fails(() -> assertThatAnswer(PERMITTED).hasRetryAfter(Duration.ofSeconds(6)));
        fails(() -> assertThatAnswer(PERMITTED).hasLimit("orders", 60));
        fails(() -> assertThatAnswer(PERMITTED).hasRemaining("orders", 10));
        fails(() -> assertThatAnswer(PERMITTED).hasRemaining("payments", 9));
        fails(() -> assertThatAnswer(PERMITTED).hasReset("orders", Duration.ofSeconds(7)));
        fails(() -> assertThatAnswer(PERMITTED).hasPolicies("orders", "payments"));
        fails(() -> assertThatAnswer(PERMITTED).hasNoRateLimit());
        fails(() -> assertThatAnswer(PERMITTED).hasProblemType("quota-exceeded"));
        fails(() -> assertThatAnswer(PERMITTED).violates("orders"));
    }

    @Test
    void rejected() {
        assertThatAnswer(REJECTED)
                .isRejected()
                .hasRetryAfter(Duration.ofSeconds(12))
                .hasRetryAfter(Duration.ofMillis(11_001))
                .hasPolicies("orders-burst", "orders-hourly")
                .hasLimit("orders-hourly", 1000)
                .hasRemaining("orders-burst", 0)
                .hasRemaining("orders-hourly", 512)
                .hasProblemType("quota-exceeded")
                .hasProblemType("https://iana.org/assignments/http-problem-types#quota-exceeded")
                .violates("orders-burst");
        fails(() -> assertThatAnswer(REJECTED).isPermitted());
        fails(() -> assertThatAnswer(REJECTED).isRejectedWith(503));
        fails(() -> assertThatAnswer(REJECTED).hasNoRetryAfter());
        fails(() -> assertThatAnswer(REJECTED).hasRetryAfter(Duration.ofMillis(12_001)));
        fails(() -> assertThatAnswer(REJECTED).hasProblemType("abnormal-usage-detected"));
        fails(() -> assertThatAnswer(REJECTED).violates("orders-burst", "orders-hourly"));
    }

    @Test
    void overloadIsARejection() {
        TestResponse overload = answer(
                503,
                Map.of(),
                "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\"}");

        assertThatAnswer(overload)
                .isRejectedWith(503)
                .hasProblemType("temporary-reduced-capacity")
                .hasNoRateLimit();
        fails(() -> assertThatAnswer(overload).isPermitted());
    }

    @Test
    void serverErrorsAreNotByLimits() {
        assertThatAnswer(answer(503, Map.of(), "")).isPermitted();
    }

    @Test
    void namesAreUnescapedAndTextsMayHoldSeparators() {
        assertThatAnswer(answer(
                        200,
                        Map.of(
                                "RateLimit-Policy",
                                List.of("\"a \\\"b\\\", c\";q=1;pk=\";,\" , \"d\";q=2;qu=\"content-bytes\"")),
                        ""))
                .hasPolicies("a \"b\", c", "d")
                .hasLimit("d", 2);
    }

    @Test
    void malformedFieldsAreRejected() {
        TestResponse garbled = answer(200, Map.of("RateLimit", List.of("orders;r=9")), "");

        fails(() -> assertThatAnswer(garbled).hasRemaining("orders", 9));
    }

    @Test
    void readsResponsesOfSpring() throws UnsupportedEncodingException {
        ResponseEntity<String> entity = ResponseEntity.status(429)
                .header("Retry-After", "12")
                .body("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"}");
        MockHttpServletResponse mock = new MockHttpServletResponse();
        mock.setStatus(429);
        mock.setHeader("Retry-After", "12");
        mock.getWriter().write("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\"}");

        assertThatAnswer(entity)
                .isRejected()
                .hasRetryAfter(Duration.ofSeconds(12))
                .hasProblemType("quota-exceeded")
                .hasNoRateLimit();
        assertThatAnswer(mock)
                .isRejected()
                .hasRetryAfter(Duration.ofSeconds(12))
                .hasProblemType("quota-exceeded")
                .hasNoRateLimit();
    }

    @Test
    void readsAllLinesOfAField() {
        ResponseEntity<String> entity = ResponseEntity.ok()
                .header("ratelimit-policy", "\"orders-burst\";q=10;w=1", "\"orders-hourly\";q=1000;w=3600")
                .build();
        MockHttpServletResponse mock = new MockHttpServletResponse();
        entity.getHeaders().forEach((name, lines) -> lines.forEach(line -> mock.addHeader(name, line)));

        assertThatAnswer(entity).hasPolicies("orders-burst", "orders-hourly");
        assertThatAnswer(mock).hasPolicies("orders-burst", "orders-hourly");
    }

    private static TestResponse answer(int status, Map<String, List<String>> headers, String body) {
        return TestResponse.of(status, name -> headers.getOrDefault(name, List.of()), () -> body);
    }

    private static void fails(ThrowingCallable assertion) {
        assertThatThrownBy(assertion).isInstanceOf(AssertionError.class);
    }
}
