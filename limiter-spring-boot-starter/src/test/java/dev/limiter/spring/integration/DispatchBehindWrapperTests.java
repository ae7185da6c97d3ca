package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.embedded.jetty.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * A filter that wraps the response does not find its wrapper in a dispatch on Jetty, and fails after the answer: the
 * client sees the same with a limit.
 */
@TestPropertySource(
        properties = {
            "limiter.rules.guesses.paths=/limited/**",
            "limiter.rules.guesses.limit=3",
            "limiter.rules.guesses.window=1h",
            "limiter.rules.guesses.charge-if=failed"
        })
class DispatchBehindWrapperTests extends WebTestSupport {

    @ParameterizedTest
    @ValueSource(strings = {"/sent", "/started", "/written"})
    void isAnsweredAsWithoutALimit(String path) throws Exception {
        HttpResponse<String> free = get("/free" + path);
        HttpResponse<String> limited = get("/limited" + path);

        assertThat(limited.headers().map()).containsKey("ratelimit");
        assertThat(limited.statusCode()).isEqualTo(free.statusCode());
        assertThat(limited.body().replaceAll("\"timestamp\":\"[^\"]*\"|/limited", ""))
                .isEqualTo(free.body().replaceAll("\"timestamp\":\"[^\"]*\"|/free", ""));
    }

    @Configuration(proxyBeanMethods = false)
    @Import({WebTestSupport.Base.class, Endpoints.class})
    static class Application {

        @Bean
        JettyServletWebServerFactory jetty() {
            return new JettyServletWebServerFactory();
        }

        @Bean
        ShallowEtagHeaderFilter etags() {
            return new ShallowEtagHeaderFilter();
        }
    }

    @RestController
    static class Endpoints {

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
