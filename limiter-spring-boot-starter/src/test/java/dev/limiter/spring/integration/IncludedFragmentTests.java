package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.RateLimiters;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compiled.Rules;
import dev.limiter.testkit.Conditions;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Pages that include a fragment whose annotation rejects: a page is answered all the same, so it stays charged. */
@TestPropertySource(
        properties = {
            "limiter.rules.page.paths=/page",
            "limiter.rules.page.limit=2",
            "limiter.rules.page.window=1h",
            "limiter.rules.held.paths=/held",
            "limiter.rules.held.algorithm=concurrency",
            "limiter.rules.held.limit=1",
            "limiter.rules.all.paths=/page-of-all",
            "limiter.rules.all.limit=5",
            "limiter.rules.all.window=1h",
        })
class IncludedFragmentTests extends WebTestSupport {

    @Autowired
    private RateLimiters limiters;

    @Autowired
    private Rules rules;

    @Test
    void pageStaysCharged() {
        assertThat(get("/page").body()).isEqualTo("[fragment]");
        assertThat(get("/page").statusCode()).isEqualTo(200);
        assertThat(get("/page").statusCode()).isEqualTo(429);
    }

    @Test
    void pageTellsOfItsOwnLimitsOnly() {
        get("/page");

        assertThat(field(get("/page-of-all"), "RateLimit")).contains("\"all\"").doesNotContain("fragment");
    }

    /** The page ends with the permits that others could take meanwhile. */
    @Test
    void pageKeepsThePermitThatItHolds() {
        assertThat(get("/held").body()).isEqualTo("[fragment]0");
        Conditions.await(() -> remaining("held") == 1);
        assertThat(get("/held").body()).endsWith("]0");
    }

    private long remaining(String rule) {
        return limiters.peek(rules.current().find(rule).orElseThrow().rule(), "")
                .remaining();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Pages.class, Fragments.class})
    static class Application {}

    @RestController
    static class Pages {

        private final RateLimiters limiters;
        private final Rules rules;

        Pages(RateLimiters limiters, Rules rules) {
            this.limiters = limiters;
            this.rules = rules;
        }

        @GetMapping({"/page", "/page-of-all"})
        void page(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            include("/fragment", request, response);
        }

        @GetMapping("/held")
        void held(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            include("/fragment-of-held", request, response);
            response.getWriter()
                    .print(limiters.peek(
                                    rules.current().find("held").orElseThrow().rule(), "")
                            .remaining());
        }

        private static void include(String fragment, HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            response.getWriter().print("[");
            request.getRequestDispatcher(fragment).include(request, response);
            response.getWriter().print("]");
        }
    }

    @RestController
    static class Fragments {

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/fragment")
        void fragment(HttpServletResponse response) throws IOException {
            response.getWriter().print("fragment");
        }

        @RateLimiter(limit = 1, window = "1h")
        @GetMapping("/fragment-of-held")
        void fragmentOfHeld(HttpServletResponse response) throws IOException {
            response.getWriter().print("fragment");
        }
    }
}
