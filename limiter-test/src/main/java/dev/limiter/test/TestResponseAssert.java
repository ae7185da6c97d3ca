package dev.limiter.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions for the limits in an HTTP response. Created by {@link LimiterAssertions}. Assertions about policies need
 * {@code headers: ietf} or {@code both}. Not thread-safe.
 */
public final class TestResponseAssert extends AbstractAssert<TestResponseAssert, TestResponse> {

    private static final String PROBLEM_TYPES = "https://iana.org/assignments/http-problem-types#";
    private static final Pattern TYPE = Pattern.compile("\"type\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern VIOLATED = Pattern.compile("\"violated-policies\"\\s*:\\s*\\[([^]]*)]");

    TestResponseAssert(TestResponse actual) {
        super(actual, TestResponseAssert.class);
    }

    /** Verifies that the status is not 429 and the body is not a problem of limits. */
    public TestResponseAssert isPermitted() {
        isNotNull();
        if (actual.status() == 429 || problemType().startsWith(PROBLEM_TYPES)) {
            failWithMessage("Expected to be permitted, but was %s", summary());
        }
        return this;
    }

    /** Verifies status 429. */
    public TestResponseAssert isRejected() {
        return isRejectedWith(429);
    }

    /** Verifies another status of a rejection, such as 503 for a limit that protects the application. */
    public TestResponseAssert isRejectedWith(int status) {
        isNotNull();
        if (actual.status() != status) {
            failWithMessage("Expected to be rejected with status %s, but was %s", status, summary());
        }
        return this;
    }

    /** Verifies {@code Retry-After}. The expected duration is rounded up to seconds. */
    public TestResponseAssert hasRetryAfter(Duration expected) {
        return same(
                "Retry-After",
                List.of(Long.toString(expected.plusNanos(999_999_999).toSeconds())),
                header("Retry-After"));
    }

    public TestResponseAssert hasNoRetryAfter() {
        return same("Retry-After", List.of(), header("Retry-After"));
    }

    /**
     * Verifies the remaining permits of a limit in {@code RateLimit}.
     *
     * @param policy the name of the rule, or {@code rule-limit} for a named limit
     */
    public TestResponseAssert hasRemaining(String policy, long expected) {
        return same("r of " + policy, expected, parameter("RateLimit", policy, "r"));
    }

    /** Verifies the effective window in {@code RateLimit}. The expected duration is rounded up to seconds. */
    public TestResponseAssert hasReset(String policy, Duration expected) {
        return same("t of " + policy, expected.plusNanos(999_999_999).toSeconds(), parameter("RateLimit", policy, "t"));
    }

    /** Verifies the permits of a limit in {@code RateLimit-Policy}. */
    public TestResponseAssert hasLimit(String policy, long expected) {
        return same("q of " + policy, expected, parameter("RateLimit-Policy", policy, "q"));
    }

    /** Verifies the limits in {@code RateLimit-Policy}, in order. */
    public TestResponseAssert hasPolicies(String... policies) {
        return same(
                "policies",
                List.of(policies),
                List.copyOf(field("RateLimit-Policy").keySet()));
    }

    /** Verifies that there is neither {@code RateLimit} nor {@code X-RateLimit-Limit}. */
    public TestResponseAssert hasNoRateLimit() {
        same("RateLimit", List.of(), header("RateLimit"));
        return same("X-RateLimit-Limit", List.of(), header("X-RateLimit-Limit"));
    }

    /** Verifies the problem type in the body: the full URI, or only its end, such as {@code quota-exceeded}. */
    public TestResponseAssert hasProblemType(String expected) {
        return same("type", expected.contains(":") ? expected : PROBLEM_TYPES + expected, problemType());
    }

    /** Verifies the limits in {@code violated-policies} of the body, in order. */
    public TestResponseAssert violates(String... policies) {
        isNotNull();
        Matcher violated = VIOLATED.matcher(actual.body());
        List<String> found = violated.find()
                ? Arrays.stream(violated.group(1).split(","))
                        .map(name -> name.strip().replaceAll("^\"|\"$", ""))
                        .toList()
                : List.of();
        return same("violated-policies", List.of(policies), found);
    }

    private String problemType() {
        isNotNull();
        Matcher type = TYPE.matcher(actual.body());
        return type.find() ? type.group(1) : "";
    }

    private Object parameter(String header, String policy, String name) {
        Map<String, String> parameters = field(header).get(policy);
        if (parameters == null) {
            throw failure("Expected %s to name the policy \"%s\", but was %s", header, policy, summary());
        }
        String value = parameters.getOrDefault(name, "");
        return value.matches("\\d+") ? Long.parseLong(value) : value;
    }

    private Map<String, Map<String, String>> field(String name) {
        return RateLimitFieldParser.parse(String.join(", ", header(name)));
    }

    private List<String> header(String name) {
        isNotNull();
        return actual.headers(name);
    }

    private TestResponseAssert same(String what, Object expected, Object found) {
        if (!found.equals(expected)) {
            failWithActualExpectedAndMessage(
                    found, expected, "Expected %s to be %s, but was %s: %s", what, expected, found, summary());
        }
        return this;
    }

    private String summary() {
        return "status " + actual.status() + ", RateLimit-Policy " + header("RateLimit-Policy") + ", RateLimit "
                + header("RateLimit") + ", Retry-After " + header("Retry-After") + ", body " + actual.body();
    }
}
