package dev.limiter.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.limiter.spring.web.settle.HeldResponse;
import dev.limiter.testkit.Conditions;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class DeferredFieldsTests {

    private static final String FIELD = "\"api\";r=1;t=60";

    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final MockHttpServletResponse target = new MockHttpServletResponse();

    static Stream<Consumer<HttpServletResponse>> callsThatReachTheHeldAnswer() {
        return Stream.of(
                HttpServletResponse::reset,
                response -> response.setHeader("Content-Length", "5"),
                response -> response.addHeader("Content-Length", "5"),
                response -> response.setIntHeader("Content-Length", 5),
                response -> response.addIntHeader("Content-Length", 5),
                response -> response.setContentLength(5));
    }

    /** A thread that settles the answer writes fields, while another one of the same request changes the answer. */
    @ParameterizedTest
    @MethodSource("callsThatReachTheHeldAnswer")
    void settlingAndChangingAnAnswerDoNotWaitForEachOther(Consumer<HttpServletResponse> call) throws Exception {
        CountDownLatch settling = new CountDownLatch(1);
        CountDownLatch calling = new CountDownLatch(1);
        HttpServletResponse[] outer = new HttpServletResponse[1];
        Thread changing = daemon(() -> {
            settling.await();
            calling.countDown();
            call.accept(outer[0]);
        });
        HeldResponse held = new HeldResponse(request, target, () -> true, answer -> {
            settling.countDown();
            Conditions.await(() ->
                    calling.getCount() == 0 && (changing.getState() == Thread.State.WAITING || !changing.isAlive()));
            outer[0].setHeader("RateLimit", FIELD);
        });
        outer[0] = new DeferredFieldsResponse(held);
        Thread settler = daemon(() -> held.answer().end(false));
        changing.start();
        settler.start();

        assertThat(Conditions.isMetWithin(Duration.ofSeconds(20), () -> !settler.isAlive() && !changing.isAlive()))
                .as("both threads are done")
                .isTrue();
        outer[0].flushBuffer();
        assertThat(target.getHeader("RateLimit")).isEqualTo(FIELD);
    }

    private interface Task {
        void run() throws Exception;
    }

    private static Thread daemon(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
        thread.setDaemon(true);
        return thread;
    }

    @Test
    void headersOfTheApplicationPass() {
        HttpServletResponse response = new DeferredFieldsResponse(target);
        response.setHeader("RateLimit", FIELD);
        response.setHeader("X-RateLimit-Scope", "orders");
        response.setHeader("RateLimiterNode", "n7");
        new DeferredFieldsResponse(new Container(target)).setHeader(null, "x");
        response.setStatus(302);
        flush(response);

        assertThat(target.getHeaderNames()).containsExactlyInAnyOrder("X-RateLimit-Scope", "RateLimiterNode");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RateLimit",
                "RateLimit-Policy",
                "RateLimit-Partition",
                "X-RateLimit-Limit",
                "X-RateLimit-Remaining",
                "X-RateLimit-Reset"
            })
    void fieldsWaitForTheStatus(String name) {
        HttpServletResponse response = new DeferredFieldsResponse(target);
        response.setHeader(name, "1");

        assertThat(response.getHeader(name)).isEqualTo("1");
        assertThat(target.containsHeader(name)).isFalse();
        flush(response);
        assertThat(target.getHeader(name)).isEqualTo("1");
    }

    /** Jetty sends an interim response of 102 and 103, and cuts the connection for -1: the answer follows, or none. */
    @ParameterizedTest
    @ValueSource(ints = {102, 103, -1})
    void fieldsWaitForTheStatusBehindAnInterimResponse(int status) throws IOException {
        HttpServletResponse response = new DeferredFieldsResponse(new Container(target));
        response.setHeader("RateLimit", FIELD);
        response.sendError(status);
        response.sendError(status, "message");

        assertThat(target.getStatus()).isEqualTo(200);
        assertThat(target.containsHeader("RateLimit")).isFalse();
        response.setStatus(304);
        flush(response);
        assertThat(target.containsHeader("RateLimit")).isFalse();
    }

    @Test
    void errorPageThatResetsTheAnswerStillTellsOfLimits() throws Exception {
        fail(response -> response.setHeader("RateLimit", FIELD));
        dispatch(DispatcherType.ERROR, target, (page, response) -> {
            response.reset();
            ((HttpServletResponse) response).setStatus(500);
        });

        assertThat(target.getHeader("RateLimit")).isEqualTo(FIELD);
    }

    /** Tomcat keeps redirections until the request is over. */
    @Test
    void errorPageInPlaceOfARedirectionTellsOfLimits() throws Exception {
        fail(response -> {
            response.setHeader("RateLimit", FIELD);
            redirect(response);
        });
        MockHttpServletResponse replaced = new MockHttpServletResponse();
        dispatch(DispatcherType.ERROR, replaced, (page, response) -> ((HttpServletResponse) response).setStatus(500));

        assertThat(target.containsHeader("RateLimit")).isFalse();
        assertThat(replaced.getHeader("RateLimit")).isEqualTo(FIELD);
    }

    @Test
    void asynchronousWorkThatResetsTheAnswerStillTellsOfLimits() throws Exception {
        HttpServletResponse answer = startWork();
        answer.reset();

        assertThat(target.getHeader("RateLimit")).isEqualTo(FIELD);
    }

    /** The end of the dispatch has them released. */
    @Test
    void dispatchOfAsynchronousWorkThatResetsTheAnswerMayRedirect() throws Exception {
        dispatch(DispatcherType.ASYNC, startWork(), (dispatched, response) -> {
            response.reset();
            redirect((HttpServletResponse) response);
        });

        assertThat(target.containsHeader("RateLimit")).isFalse();
    }

    /** The response of asynchronous work whose dispatch is over. */
    private HttpServletResponse startWork() throws Exception {
        request.setAsyncSupported(true);
        dispatch(DispatcherType.REQUEST, target, (starting, response) -> {
            ((HttpServletResponse) response).setHeader("RateLimit", FIELD);
            starting.startAsync(starting, response);
        });
        return (HttpServletResponse) request.getAsyncContext().getResponse();
    }

    private void fail(Consumer<HttpServletResponse> before) {
        assertThatIllegalStateException()
                .isThrownBy(() -> dispatch(DispatcherType.REQUEST, target, (failing, response) -> {
                    before.accept((HttpServletResponse) response);
                    throw new IllegalStateException("failed on purpose");
                }));
    }

    private void dispatch(DispatcherType type, HttpServletResponse response, FilterChain chain) throws Exception {
        request.setDispatcherType(type);
        new DeferredFieldsFilter().doFilter(request, response, chain);
    }

    private static void flush(HttpServletResponse response) {
        try {
            response.flushBuffer();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void redirect(HttpServletResponse response) {
        try {
            response.sendRedirect("/elsewhere");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Ignores headers without a name, as containers do, and an interim response, which leaves the answer as it is. */
    private static final class Container extends HttpServletResponseWrapper {

        Container(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void setHeader(@Nullable String name, String value) {
            if (name != null) {
                super.setHeader(name, value);
            }
        }

        @Override
        public void sendError(int status) {
            assertThat(status).isLessThan(200);
        }

        @Override
        public void sendError(int status, String message) {
            assertThat(status).isLessThan(200);
        }
    }
}
