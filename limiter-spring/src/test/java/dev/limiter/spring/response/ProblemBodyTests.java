package dev.limiter.spring.response;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The body of a rejection has the documented form and a bounded size. */
class ProblemBodyTests {

    @Test
    void namesAllPoliciesThatReject() {
        assertThat(ProblemBody.json(
                        ProblemBody.Problem.QUOTA_EXCEEDED,
                        "Too many",
                        429,
                        "Come back later.",
                        "/api/orders",
                        List.of("orders-burst", "orders-daily"),
                        OptionalLong.of(12)))
                .hasToString("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Too many\",\"status\":429,\"detail\":\"Come back later.\","
                        + "\"instance\":\"/api/orders\","
                        + "\"violated-policies\":[\"orders-burst\",\"orders-daily\"],"
                        + "\"retry-after\":12}");
    }

    @Test
    void repeatsNoMoreThanTheBeginningOfALongPath() {
        String beginning = "/".repeat(ProblemBody.MAX_PATH - 1);

        assertThat(instance(beginning + "a")).isEqualTo(beginning + "a");
        assertThat(instance(beginning + "ab")).isEqualTo(beginning + "a");
        assertThat(instance(beginning + "%20")).isEqualTo(beginning);
        assertThat(instance(beginning.substring(1) + "%20")).isEqualTo(beginning.substring(1));
        assertThat(instance(beginning.substring(2) + "%20a")).isEqualTo(beginning.substring(2) + "%20");
        assertThat(json("&".repeat(7000), OptionalLong.empty())).hasSizeLessThan(2000);
    }

    private static String instance(String path) {
        String json = json(path, OptionalLong.empty());
        int start = json.indexOf("\"instance\":\"") + "\"instance\":\"".length();
        return json.substring(start, json.indexOf('"', start));
    }

    private static String json(String path, OptionalLong retryAfter) {
        return ProblemBody.json(
                        ProblemBody.Problem.QUOTA_EXCEEDED, "Too many", 429, "", path, List.of("orders"), retryAfter)
                .toString();
    }
}
