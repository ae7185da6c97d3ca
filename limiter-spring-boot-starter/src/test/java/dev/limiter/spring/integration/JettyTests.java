package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.web.embedded.jetty.JettyServletWebServerFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * On Jetty, a filter that wraps the response fails in a dispatch, after the response was sent. The client sees the same
 * response with a limit.
 */
@Yml("""
        limiter.rules:
          large: { paths: /large, limit: 1, window: 1h, charge-if: failed }
          guesses: { paths: /limited/**, limit: 3, window: 1h, charge-if: failed }
        """)
class JettyTests extends WebTestSupport {

    @ParameterizedTest
    @ValueSource(strings = {"/sent", "/started", "/written"})
    void responseIsTheSameAsWithoutALimit(String path) throws Exception {
        HttpResponse<String> free = get("/free" + path);
        HttpResponse<String> limited = get("/limited" + path);

        assertThat(limited.headers().map()).containsKey("ratelimit");
        assertThat(limited.statusCode()).isEqualTo(free.statusCode());
        assertThat(limited.body().replaceAll("\"timestamp\":\"[^\"]*\"|/limited", ""))
                .isEqualTo(free.body().replaceAll("\"timestamp\":\"[^\"]*\"|/free", ""));
    }

    /** The buffer of Jetty is larger than that of Tomcat. */
    @Test
    void refundsAreCompleteBeforeTheFirstByte(@Autowired Endpoints handler) throws IOException {
        try (InputStream body = clients().stream("GET", "/large").body()) {
            assertThat(body.read()).isEqualTo('x');
            assertThat(remaining("large", "")).isEqualTo(1);
        } finally {
            handler.read.countDown();
        }
    }

    @TestApplication
    static class Endpoints {

        @Bean
        static JettyServletWebServerFactory jetty() {
            return new JettyServletWebServerFactory();
        }

        @Bean
        static FilterRegistrationBean<ShallowEtagHeaderFilter> etags() {
            FilterRegistrationBean<ShallowEtagHeaderFilter> etags =
                    new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
            etags.addUrlPatterns("/free/*", "/limited/*");
            return etags;
        }

        private final CountDownLatch read = new CountDownLatch(1);

        /** Writes more than fits into the buffer, and waits until the client has read the first byte. */
        @GetMapping("/large")
        void large(HttpServletResponse response) throws IOException, InterruptedException {
            response.getOutputStream().write("x".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII));
            assertThat(read.await(60, TimeUnit.SECONDS)).isTrue();
        }

        @GetMapping({"/free/sent", "/limited/sent"})
        void sent(HttpServletRequest request) {
            request.startAsync().dispatch("/body");
        }

        @GetMapping({"/free/started", "/limited/started"})
        void started(HttpServletRequest request, HttpServletResponse response) {
            request.startAsync(request, response).dispatch("/body");
        }

        @GetMapping({"/free/written", "/limited/written"})
        void written(HttpServletRequest request) {
            request.startAsync().dispatch("/writer");
        }

        @GetMapping("/body")
        String body() {
            return "hello";
        }

        @GetMapping("/writer")
        void writer(HttpServletResponse response) throws IOException {
            response.getWriter().write("hello");
        }
    }
}
