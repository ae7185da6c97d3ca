package dev.limiter.test;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** The parts of an HTTP response that assertions need. {@link #of} adapts the response of any client. */
public interface TestResponse {

    int status();

    /** Returns the values of a header field in the order of the response; empty if there are none. */
    List<String> headers(String name);

    /** Returns the body as text; empty if there is none. */
    String body();

    /** Returns a response with these parts, which are read on demand. */
    static TestResponse of(int status, Function<String, List<String>> headers, Supplier<String> body) {
        return new TestResponse() {
            @Override
            public int status() {
                return status;
            }

            @Override
            public List<String> headers(String name) {
                return headers.apply(name);
            }

            @Override
            public String body() {
                return body.get();
            }
        };
    }
}
