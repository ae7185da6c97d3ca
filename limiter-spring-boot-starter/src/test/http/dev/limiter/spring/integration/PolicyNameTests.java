package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Unnamed annotations appear to clients by method name, never by class name. */
@Yml("""
        limiter.rules:
          place: { paths: /ruled, limit: 9, window: 1h, key: ip }
        """)
class PolicyNameTests extends WebTestSupport {

    @Test
    void methodsOfTheSameNameAreNumberedInFieldsAndBody() throws Exception {
        HttpResponse<String> permitted = get("/orders");
        assertThat(field(permitted, "RateLimit-Policy")).isEqualTo("\"place\";q=5;w=3600");

        HttpResponse<String> rejected = get("/orders");
        assertThat(field(rejected, "RateLimit-Policy"))
                .isEqualTo("\"place\";q=5;w=3600, \"place-2\";q=1;w=3600, \"place-2-2\";q=7;w=3600");
        assertThat(field(rejected, "RateLimit")).startsWith("\"place\";r=4;");
        assertThat(rejected.body())
                .contains("\"violated-policies\":[\"place-2\"]", "\"detail\":\"The limit place-2 is used up;")
                .doesNotContain("Orders", "Controller");
    }

    @Test
    void aRuleOfTheConfigurationKeepsItsName() throws Exception {
        assertThat(field(get("/ruled"), "RateLimit-Policy")).isEqualTo("\"place\";q=9;w=3600, \"place-2\";q=1;w=3600");

        HttpResponse<String> rejected = get("/ruled");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(rejected.body()).contains("\"violated-policies\":[\"place-2\"]");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Base.class, Controller.class, RuledController.class, Orders.class})
    static class Application {}

    @RestController
    static class Controller {

        private final Orders orders;

        Controller(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/orders")
        @RateLimiter(limit = 5, window = "1h")
        String place() {
            return orders.place();
        }
    }

    @RestController
    static class RuledController {

        @GetMapping("/ruled")
        @RateLimiter(limit = 1, window = "1h")
        String place() {
            return "ruled";
        }
    }

    static class Orders {

        @RateLimiter(limit = 1, window = "1h")
        @RateLimiter(limit = 7, window = "1h")
        public String place() {
            return "placed";
        }
    }
}
