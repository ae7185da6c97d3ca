package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.context.RequestView;
import dev.limiter.spring.key.KeySource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Keys of which the application's own bean knows the parts, by a name. */
@TestPropertySource(
        properties = {
            "limiter.rules.by-region.paths=/by-region",
            "limiter.rules.by-region.key=customer:region",
            "limiter.rules.by-region.limit=1",
            "limiter.rules.by-region.window=1h",
        })
class KeySourceTests extends WebTestSupport {

    @Test
    void valuesOfANameHaveBucketsOfTheirOwn() throws Exception {
        assertThat(get("/by-region", "X-Customer", "north-7").statusCode()).isEqualTo(200);
        assertThat(get("/by-region", "X-Customer", "north-8").statusCode()).isEqualTo(429);
        assertThat(get("/by-region", "X-Customer", "south-7").statusCode()).isEqualTo(200);
    }

    @Test
    void annotationsUseKeySources() throws Exception {
        assertThat(get("/by-number", "X-Customer", "north-1").statusCode()).isEqualTo(200);
        assertThat(get("/by-number", "X-Customer", "south-1").statusCode()).isEqualTo(429);
        assertThat(get("/by-number", "X-Customer", "north-2").statusCode()).isEqualTo(200);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({WebTestSupport.Base.class, Endpoints.class})
    static class Customers {

        @Bean
        KeySource customer() {
            return (name, context) -> {
                RequestView request = context.request();
                String customer = request == null ? null : request.getHeader("X-Customer");
                return customer == null ? null : customer.split("-")[name.equals("region") ? 0 : 1];
            };
        }
    }

    @RestController
    static class Endpoints {

        @GetMapping("/by-region")
        String byRegion() {
            return "ok";
        }

        @GetMapping("/by-number")
        @RateLimiter(limit = 1, window = "1h", key = "customer:number")
        String byNumber() {
            return "ok";
        }
    }
}
