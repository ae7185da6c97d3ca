package dev.limiter.test;

import java.io.UnsupportedEncodingException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

/**
 * {@link LimiterAssertions} for the answers that tests of Spring MVC applications get. A class of its own, since the
 * compiler wants all types that it mentions.
 */
public final class SpringLimiterAssertions extends LimiterAssertions {

    private SpringLimiterAssertions() {}

    public static TestResponseAssert assertThatAnswer(ResponseEntity<?> response) {
        return assertThatAnswer(TestResponse.of(
                response.getStatusCode().value(),
                name -> lines(response.getHeaders(), name),
                () -> String.valueOf(response.getBody())));
    }

    public static TestResponseAssert assertThatAnswer(MockHttpServletResponse response) {
        return assertThatAnswer(TestResponse.of(response.getStatus(), response::getHeaders, () -> body(response)));
    }

    public static TestResponseAssert assertThatAnswer(MvcResult result) {
        return assertThatAnswer(result.getResponse());
    }

    public static TestResponseAssert assertThatAnswer(MvcTestResult result) {
        return assertThatAnswer(result.getResponse());
    }

    /** The method that returns them has another signature in each version of Spring. */
    private static List<String> lines(HttpHeaders headers, String name) {
        List<String> lines = new ArrayList<>();
        headers.forEach((field, values) -> {
            if (field.equalsIgnoreCase(name)) {
                lines.addAll(values);
            }
        });
        return lines;
    }

    private static String body(MockHttpServletResponse response) {
        try {
            return response.getContentAsString();
        } catch (UnsupportedEncodingException unknown) {
            throw new IllegalStateException(unknown);
        }
    }
}
