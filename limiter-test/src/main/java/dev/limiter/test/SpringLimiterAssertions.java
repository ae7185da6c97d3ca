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
 * {@link LimiterAssertions} for the responses of Spring MVC tests. A separate class, because it needs Spring on the
 * class path.
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

    /** Uses {@code forEach}, because the signature of the getter differs between versions of Spring. */
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
