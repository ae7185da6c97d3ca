package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.RateLimiters;
import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.compile.Rules;
import dev.limiter.testkit.Conditions;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Pages with a fragment or method that rejects after the response has started: the page stays charged. */
@Yml("""
        limiter.rules:
          committed: { paths: /committed, limit: 2, window: 1h }
          page: { paths: /page, limit: 2, window: 1h }
          held: { paths: /held, algorithm: concurrency, limit: 1 }
          all: { paths: /page-of-all, limit: 5, window: 1h }
        """)
class IncludedFragmentTests extends WebTestSupport {

    @Test
    void pageStaysCharged() {
        assertThat(get("/page").body()).isEqualTo("[fragment]");
        assertStatuses(List.of(200, 429), "/page");
    }

    @Test
    void pageHasFieldsOfItsOwnLimitsOnly() {
        get("/page");

        assertThat(field(get("/page-of-all"), "RateLimit")).contains("\"all\"").doesNotContain("fragment");
    }

    /** The client has received a response, without its second half. */
    @Test
    void pageStaysChargedIfAMethodRejectsDuringTheResponse() {
        assertThat(get("/committed").body()).isEqualTo("begun and ended");
        assertThatThrownBy(() -> get("/committed"))
                .as("a connection that broke")
                .isInstanceOf(UncheckedIOException.class);
        assertStatus(429, "/committed");
    }

    /** The page keeps its permits until it is complete. */
    @Test
    void pageKeepsThePermitThatItHolds() {
        assertThat(get("/held").body()).isEqualTo("[fragment]0");
        Conditions.await(() -> remaining("held", "") == 1);
        assertThat(get("/held").body()).endsWith("]0");
    }

    @TestApplication
    @Import({Fragments.class, Ending.class})
    static class Pages {

        private final RateLimiters limiters;
        private final Rules rules;
        private final Ending ending;

        Pages(RateLimiters limiters, Rules rules, Ending ending) {
            this.ending = ending;
            this.limiters = limiters;
            this.rules = rules;
        }

        @GetMapping({"/page", "/page-of-all"})
        void page(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            include("/fragment", request, response);
        }

        @GetMapping("/committed")
        void committed(HttpServletResponse response) throws IOException {
            response.getWriter().print("begun");
            response.flushBuffer();
            response.getWriter().print(ending.text());
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

    @Component
    static class Ending {

        @RateLimiter(limit = 1, window = "1h")
        String text() {
            return " and ended";
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
