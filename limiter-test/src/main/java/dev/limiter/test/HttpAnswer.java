package dev.limiter.test;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** An HTTP answer, as far as limits are concerned: what any client can be made to look like. */
public interface HttpAnswer {

    int status();

    /** The values of a header field in the order in which they came; none if it is not there. */
    List<String> headers(String name);

    /** The body as text; empty if there is none. */
    String body();

    /** An answer by its parts, which are asked for when they are needed. */
    static HttpAnswer of(int status, Function<String, List<String>> headers, Supplier<String> body) {
        return new HttpAnswer() {
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
