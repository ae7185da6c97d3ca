package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.RateLimitEvent;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;

/** The automatic limit applies to each endpoint that no other rule limits, and names it by its mapping. */
@Yml("""
        limiter:
          web: { default-limit: { limit: 2, window: 1h }, static-resources: true }
          rules:
            own: { paths: /own, limit: 3, window: 1h }
            watching: { paths: /watched, limit: 1, window: 1h, mode: shadow }
        """)
class DefaultLimitTests extends WebTestSupport {

    @BeforeEach
    void clear() {
        events.clear();
    }

    @Test
    void endpointsAreResourcesNamedByTheirMapping() throws Exception {
        assertThat(get("/orders/1").statusCode()).isEqualTo(200);
        assertThat(get("/orders/2").statusCode()).isEqualTo(200);
        assertThat(get("/orders/3").statusCode()).isEqualTo(429);
        assertThat(send("HEAD", "/orders/4").statusCode()).isEqualTo(429);
        assertThat(get("/orders/4;x=1").statusCode()).isEqualTo(429);
        assertThat(get("/any").statusCode()).isEqualTo(200);
        assertThat(send("FOO", "/any").statusCode()).isEqualTo(200);
        assertThat(send("BAR", "/any").statusCode()).isEqualTo(429);
        assertThat(get("/several").statusCode()).isEqualTo(200);
        assertThat(get("/function/1").statusCode()).isEqualTo(200);
        assertThat(get("/nested/function").statusCode()).isEqualTo(200);

        assertThat(events.stream().map(RateLimitEvent::resource).distinct())
                .containsExactly(
                        "GET /orders/{id}", "* /any", "* /several", "GET /function/{id}", "GET /nested/function");
        assertThat(events).allMatch(event -> event.rule().equals("default"));
    }

    @Test
    void requestsWithoutAnEndpointAreOneResource() throws Exception {
        assertThat(get("/static.txt").statusCode()).isEqualTo(200);
        assertThat(get("/unknown").statusCode()).isEqualTo(404);
        assertThat(get("/invented").statusCode()).isEqualTo(429);
        assertThat(events).extracting(RateLimitEvent::resource).containsOnly("* /**");
    }

    @Test
    void appliesOnlyIfNothingElseIsEnforced() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/own").statusCode()).isEqualTo(200);
            assertThat(get("/annotated").statusCode()).isEqualTo(200);
        }
        assertThat(get("/own").statusCode()).isEqualTo(429);
        assertThat(get("/annotated").statusCode()).isEqualTo(429);

        assertStatuses(List.of(200, 200, 429), "/watched");
    }

    @TestApplication
    static class Controller {

        @GetMapping("/orders/{id}")
        String order(@PathVariable String id) {
            return id;
        }

        @RequestMapping("/any")
        String any() {
            return "any";
        }

        @RequestMapping(
                path = "/several",
                method = {RequestMethod.GET, RequestMethod.POST})
        String several() {
            return "several";
        }

        @GetMapping({"/own", "/watched"})
        String own() {
            return "own";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 3, window = "1h")
        String annotated() {
            return "annotated";
        }
    }
}
