package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;

/** Handlers can read which rules in shadow mode would have rejected. The clock stands still, so no permits refill. */
@Yml("""
        limiter.rules:
          watched: { paths: [/watched, /all], limit: 1, window: 1h, scope: endpoint, mode: shadow }
          early: { paths: [/early, /all], phase: request, limit: 1, window: 1h, scope: endpoint, mode: shadow }
          denied: { paths: /denied, limit: 100, window: 1h, deny: [127.0.0.1, '::1'], mode: shadow }
          some: { paths: /some, key: header:X-Customer, limit: 1, window: 1h, rollout: 0.01% }
          candidates: { paths: /candidate, limit: 3, window: 1h, candidate: { limit: 1 } }
          named: { limit: 1, window: 1h, mode: shadow }
        """)
class ExceededTests extends WebTestSupport {

    @ParameterizedTest
    @CsvSource({
        "/watched, '', [watched]",
        "/early, '', [early]",
        "/all, '', '[early, watched]'",
        "/denied, [denied], [denied]",
        "/some, '', [some]",
        "/annotated, '', [named]",
        "/candidate, '', ''",
        "/free, '', ''"
    })
    void attributeNamesTheRulesThatWouldHaveRejected(String path, String first, String second) {
        assertThat(get(path).body()).isEqualTo(first);
        assertThat(get(path).body()).isEqualTo(second);
        assertThat(get(path).statusCode()).isEqualTo(200);
    }

    @TestApplication
    static class Endpoints {

        private static final String EXCEEDED = "dev.limiter.exceeded";

        @GetMapping({"/watched", "/early", "/all", "/denied", "/some", "/candidate", "/free"})
        String plain(@RequestAttribute(name = EXCEEDED, required = false) List<String> exceeded) {
            if (exceeded == null) {
                return "";
            }
            assertThat(exceeded).isUnmodifiable();
            return exceeded.toString();
        }

        /** Decides after the arguments are resolved. */
        @GetMapping("/annotated")
        @RateLimiter("named")
        String annotated(HttpServletRequest request) {
            Object exceeded = request.getAttribute(EXCEEDED);
            return exceeded == null ? "" : exceeded.toString();
        }
    }
}
