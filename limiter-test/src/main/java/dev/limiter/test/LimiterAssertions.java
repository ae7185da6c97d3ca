package dev.limiter.test;

import dev.limiter.Decision;
import java.net.http.HttpResponse;

/**
 * Assertions about decisions and answers, beside AssertJ's own. {@link SpringLimiterAssertions} has more, for what
 * tests of Spring applications get.
 */
public class LimiterAssertions {

    /** Only for subclasses: all methods are static. */
    protected LimiterAssertions() {}

    public static DecisionAssert assertThat(Decision decision) {
        return new DecisionAssert(decision);
    }

    public static TestResponseAssert assertThatAnswer(TestResponse answer) {
        return new TestResponseAssert(answer);
    }

    public static TestResponseAssert assertThatAnswer(HttpResponse<?> response) {
        return assertThatAnswer(TestResponse.of(
                response.statusCode(),
                name -> response.headers().allValues(name),
                () -> String.valueOf(response.body())));
    }
}
