package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.error.ErrorController;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * Requests that are dispatched to several annotated handlers: only the first dispatch is counted, and error pages are
 * not.
 */
class AnnotatedDispatchTests extends WebTestSupport {

    @ParameterizedTest
    @ValueSource(strings = {"/forward", "/async"})
    void anotherHandlerIsFree(String path) {
        String target = path + "-target";
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get(path);
            assertThat(answer.body()).isEqualTo("target");
            assertThat(field(answer, "RateLimit")).contains("\"first\"").doesNotContain("\"second\"");
        }

        assertStatuses(List.of(200, 429), target);
    }

    @Test
    void firstAnnotatedHandlerCountsForwardedRequests() {
        assertThat(get("/unlimited").body()).isEqualTo("target");
        assertThat(get("/unlimited").statusCode()).isEqualTo(429);
    }

    @Test
    void errorPageIsFree() {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> answer = get("/missing");
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.body()).isEqualTo("error page");
        }
    }

    @Test
    void handlerWithAnAnnotatedErrorPageStaysCharged() {
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> answer = get("/failing");
            assertThat(answer.statusCode()).isEqualTo(418);
            assertThat(field(answer, "RateLimit"))
                    .contains("\"failing\";r=" + (1 - i))
                    .doesNotContain("\"page\"");
        }

        assertThat(get("/failing").statusCode()).isEqualTo(429);
    }

    @Test
    void methodThatAnErrorPageCallsIsLimited() {
        assertStatuses(List.of(404, 429), "/missing?service");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({WebTestSupport.Base.class, Endpoints.class, ErrorPage.class, Lookup.class})
    static class Application {}

    @Controller
    static class Endpoints {

        @RateLimiter(name = "first", limit = 10, window = "1h")
        @GetMapping("/forward")
        String forward() {
            return "forward:/forward-target";
        }

        @RateLimiter(name = "first", limit = 10, window = "1h")
        @GetMapping("/async")
        @ResponseBody
        void async(HttpServletRequest request) {
            request.startAsync().dispatch("/async-target");
        }

        @RateLimiter(name = "second", limit = 1, window = "1h")
        @GetMapping("/forward-target")
        @ResponseBody
        String forwardTarget() {
            return "target";
        }

        @RateLimiter(name = "second", limit = 1, window = "1h")
        @GetMapping("/async-target")
        @ResponseBody
        String asyncTarget() {
            return "target";
        }

        @GetMapping("/unlimited")
        String unlimited() {
            return "forward:/unlimited-target";
        }

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/unlimited-target")
        @ResponseBody
        String unlimitedTarget() {
            return "target";
        }

        @RateLimiter(name = "failing", limit = 2, window = "1h")
        @GetMapping("/failing")
        @ResponseBody
        void failing(HttpServletResponse response) throws IOException {
            response.sendError(418);
        }
    }

    @Controller
    static class ErrorPage implements ErrorController {

        private final Lookup lookup;

        ErrorPage(Lookup lookup) {
            this.lookup = lookup;
        }

        @RateLimiter(name = "page", limit = 1, window = "1h")
        @RequestMapping("/error")
        @ResponseBody
        String page(HttpServletRequest request) {
            return request.getParameter("service") == null ? "error page" : lookup.text();
        }
    }

    @Service
    static class Lookup {

        @RateLimiter(limit = 1, window = "1h")
        String text() {
            return "text";
        }
    }
}
