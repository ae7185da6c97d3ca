package dev.limiter.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about what an answer tells of limits; made by {@link LimiterAssertions}. Those about policies look at
 * {@code RateLimit-Policy} and {@code RateLimit}, which {@code headers: ietf} or {@code both} write. Not thread-safe.
 */
public final class TestResponseAssert extends AbstractAssert<TestResponseAssert, TestResponse> {

    private static final String PROBLEM_TYPES = "https://iana.org/assignments/http-problem-types#";
    private static final Pattern TYPE = Pattern.compile("\"type\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern VIOLATED = Pattern.compile("\"violated-policies\"\\s*:\\s*\\[([^]]*)]");

    TestResponseAssert(TestResponse actual) {
        super(actual, TestResponseAssert.class);
    }

    /** Neither status 429 nor a problem of limits; any other answer will do. */
    public TestResponseAssert isPermitted() {
        isNotNull();
        if (actual.status() == 429 || problemType().startsWith(PROBLEM_TYPES)) {
            failWithMessage("Expected to be permitted, but was %s", summary());
        }
        return this;
    }

    /** Status 429. */
    public TestResponseAssert isRejected() {
        return isRejectedWith(429);
    }

    /** Rejected with another status, such as 503 where all clients together are too many. */
    public TestResponseAssert isRejectedWith(int status) {
        isNotNull();
        if (actual.status() != status) {
            failWithMessage("Expected to be rejected with status %s, but was %s", status, summary());
        }
        return this;
    }

    /** {@code Retry-After}, which is in seconds: of any other duration, rounded up. */
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
     * The remaining permits of a limit, by {@code RateLimit}.
     *
     * @param policy the name of the rule, or {@code rule-limit} for a named limit
     */
    public TestResponseAssert hasRemaining(String policy, long expected) {
        return same("r of " + policy, expected, parameter("RateLimit", policy, "r"));
    }

    /** The time within which a client may use what is left, by {@code RateLimit}; rounded up to seconds. */
    public TestResponseAssert hasReset(String policy, Duration expected) {
        return same("t of " + policy, expected.plusNanos(999_999_999).toSeconds(), parameter("RateLimit", policy, "t"));
    }

    /** A limit of so many permits, by {@code RateLimit-Policy}. */
    public TestResponseAssert hasLimit(String policy, long expected) {
        return same("q of " + policy, expected, parameter("RateLimit-Policy", policy, "q"));
    }

    /** The limits that the answer tells of, in order. */
    public TestResponseAssert hasPolicies(String... policies) {
        return same(
                "policies",
                List.of(policies),
                List.copyOf(field("RateLimit-Policy").keySet()));
    }

    /** The answer has no fields about limits: neither {@code RateLimit} nor {@code X-RateLimit}. */
    public TestResponseAssert hasNoRateLimit() {
        same("RateLimit", List.of(), header("RateLimit"));
        return same("X-RateLimit-Limit", List.of(), header("X-RateLimit-Limit"));
    }

    /** The type of the problem in the body: whole, or only its end, such as {@code quota-exceeded}. */
    public TestResponseAssert hasProblemType(String expected) {
        return same("type", expected.contains(":") ? expected : PROBLEM_TYPES + expected, problemType());
    }

    /** The limits that the body says rejected the request, in order. */
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
