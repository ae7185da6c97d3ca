package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The fields as the open change of the draft names them. Time stands still. */
@TestPropertySource(
        properties = {
            "limiter.web.headers=ietf-next",
            "limiter.rules.orders.paths=/orders",
            "limiter.rules.orders.key=principal|ip,method,header:X-Api-Key,#request.path",
            "limiter.rules.orders.cost=3",
            "limiter.rules.orders.limit=10",
            "limiter.rules.orders.window=1h",
            "limiter.rules.plain.paths=/orders",
            "limiter.rules.plain.headers=ietf",
            "limiter.rules.plain.limit=2",
            "limiter.rules.plain.window=1h",
        })
class NextDraftTests extends WebTestSupport {

    @Test
    void tellsAvailabilityCostAndPartition() throws Exception {
        HttpResponse<String> permitted = get("/orders");

        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"orders\";q=10;w=3600, \"plain\";q=2;w=3600");
        assertThat(field(permitted, "RateLimit")).isEqualTo("\"orders\";a=7;w=2520;c=3, \"plain\";r=1;t=1800");
        assertThat(field(permitted, "RateLimit-Partition")).isEqualTo("\"orders\";user_id;ip;method;header;other");

        get("/orders");
        HttpResponse<String> rejected = get("/orders");

        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "RateLimit")).isEqualTo("\"orders\";a=4;w=1440;c=3, \"plain\";r=0;t=1800");
        assertThat(field(rejected, "RateLimit-Partition")).startsWith("\"orders\";user_id");
    }

    @Test
    void annotationIsToldLikeARule() throws Exception {
        assertThat(field(get("/annotated"), "RateLimit")).isEqualTo("\"Controller.annotated\";a=1;w=1800;c=1");
        assertThat(field(get("/annotated"), "RateLimit-Partition")).isEqualTo("\"Controller.annotated\"");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Controller.class})
    static class Application {}

    @RestController
    static class Controller {

        @GetMapping("/orders")
        String orders() {
            return "orders";
        }

        @GetMapping("/annotated")
        @RateLimiter(limit = 2, window = "1h")
        String annotated() {
            return "annotated";
        }
    }
}
