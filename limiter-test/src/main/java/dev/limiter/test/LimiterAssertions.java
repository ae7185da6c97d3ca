package dev.limiter.test;

import dev.limiter.Decision;
import java.net.http.HttpResponse;

/**
 * Entry point to assertions for decisions and HTTP responses, based on AssertJ. For responses in Spring tests see
 * {@link SpringLimiterAssertions}.
 */
public class LimiterAssertions {

    /** For subclasses: all methods are static. */
    protected LimiterAssertions() {}

    public static DecisionAssert assertThat(Decision decision) {
        return new DecisionAssert(decision);
    }

    public static TestResponseAssert assertThatAnswer(TestResponse response) {
        return new TestResponseAssert(response);
    }

    public static TestResponseAssert assertThatAnswer(HttpResponse<?> response) {
        return assertThatAnswer(TestResponse.of(
                response.statusCode(),
                name -> response.headers().allValues(name),
                () -> String.valueOf(response.body())));
    }
}
