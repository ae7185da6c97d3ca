package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.spring.annotation.RateLimiter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Pages that call a method whose limit rejects once the answer is under way: the client has it, so it stays charged. */
@TestPropertySource(
        properties = {
            "limiter.rules.page.paths=/page",
            "limiter.rules.page.limit=2",
            "limiter.rules.page.window=1h",
        })
class CommittedAnswerTests extends WebTestSupport {

    @Test
    void pageStaysCharged() {
        assertThat(get("/page").body()).isEqualTo("begun and ended");
        assertThatThrownBy(() -> get("/page")).as("a connection that broke").isInstanceOf(UncheckedIOException.class);
        assertThat(get("/page").statusCode()).isEqualTo(429);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Pages.class, Ending.class})
    static class Application {}

    @RestController
    static class Pages {

        private final Ending ending;

        Pages(Ending ending) {
            this.ending = ending;
        }

        @GetMapping("/page")
        void page(HttpServletResponse response) throws IOException {
            response.getWriter().print("begun");
            response.flushBuffer();
            response.getWriter().print(ending.text());
        }
    }

    @Component
    static class Ending {

        @RateLimiter(limit = 1, window = "1h")
        String text() {
            return " and ended";
        }
    }
}
