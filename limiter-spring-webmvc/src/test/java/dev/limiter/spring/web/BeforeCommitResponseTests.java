package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockServletContext;

/** Refunds and fields are complete before any call commits the response. */
class BeforeCommitResponseTests {

    private static final int BUFFER = 4096;
    private static final String FIELD = "\"api\";r=1;t=60";

    private final MockHttpServletResponse target = new MockHttpServletResponse();
    private final PendingFields fields = new PendingFields();
    /** The status and redirect target of each call before the commit. */
    private final List<String> settled = new ArrayList<>();

    private final BeforeCommitResponse response = around(target, "Apache Tomcat/11.0.24");

    BeforeCommitResponseTests() {
        target.setBufferSize(BUFFER);
        fields.set("RateLimit", FIELD);
    }

    private BeforeCommitResponse around(HttpServletResponse below, String server) {
        MockServletContext container = new MockServletContext() {
            @Override
            public String getServerInfo() {
                return server;
            }
        };
        return new BeforeCommitResponse(
                container,
                below,
                committing -> settled.add(committing.status() + " " + committing.getHeader("Location")),
                fields);
    }

    private interface Call {
        void on(HttpServletResponse response) throws IOException;
    }

    static Stream<Call> commits() {
        return Stream.of(
                HttpServletResponse::flushBuffer,
                response -> response.getOutputStream().flush(),
                response -> response.getOutputStream().close(),
                response -> response.getWriter().flush(),
                response -> response.getWriter().close(),
                response -> response.getWriter().checkError(),
                response -> response.getOutputStream().write(new byte[BUFFER]),
                response -> response.getOutputStream().print("x".repeat(BUFFER)),
                response -> response.getWriter().print("x".repeat(BUFFER)),
                response -> response.getWriter().write(new char[BUFFER]),
                response -> {
                    for (int i = 0; i < BUFFER; i++) {
                        response.getWriter().append('x');
                    }
                },
                response -> {
                    for (int i = 0; i < BUFFER; i++) {
                        response.getWriter().println();
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("commits")
    void settlesOnceBeforeTheCommit(Call commit) throws IOException {
        commit.on(response);
        commit.on(response);
        response.beforeCommit();

        assertThat(settled).containsExactly("200 null");
        assertThat(target.getHeader("RateLimit")).isEqualTo(FIELD);
    }

    static Stream<Call> lengths() {
        return Stream.of(
                response -> response.setContentLength(5),
                response -> response.setContentLengthLong(5),
                response -> response.setHeader("Content-Length", "5"),
                response -> response.addHeader("content-length", "5"),
                response -> response.setIntHeader("Content-Length", 5),
                response -> response.addIntHeader("Content-Length", 5));
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void bodyThatIsAsLongAsAnnouncedIsCommitted(Call length) throws IOException {
        length.on(response);
        response.getOutputStream().print("x");
        assertThat(settled).isEmpty();
        response.getOutputStream().write(new byte[4]);
        assertThat(settled).hasSize(1);
    }

    /** Jetty sends interim responses for 102 and 103, and closes the connection for -1. */
    @ParameterizedTest
    @ValueSource(ints = {102, 103, -1})
    void interimResponseIsNone(int status) throws IOException {
        around(
                        new HttpServletResponseWrapper(target) {
                            @Override
                            public void sendError(int interim) {}
                        },
                        "jetty/12.0.36")
                .sendError(status);

        assertThat(settled).isEmpty();
    }

    @Test
    void exceptionBehindTheCommitLeavesTheStatus() throws IOException {
        target.flushBuffer();
        response.beforeFailure();

        assertThat(settled).containsExactly("200 null");
    }

    @Test
    void resetResponseHasTheFieldsOfTheNextOne() throws IOException {
        response.getWriter().write("x".repeat(100));
        response.reset();
        response.beforeCommit();
        response.reset();
        fields.set("RateLimit", "\"api\";r=0;t=60");
        response.flushBuffer();

        assertThat(target.getHeader("RateLimit")).isEqualTo("\"api\";r=0;t=60");
    }
}
