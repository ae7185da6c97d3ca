package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A quota per month, at the end of one. */
@TestPropertySource(
        properties = {
            "limiter.rules.quota.paths=/quota",
            "limiter.rules.quota.limit=2",
            "limiter.rules.quota.window=1mo",
            "limiter.rules.quota.algorithm=fixed-window",
            "limiter.rules.quota.align=calendar",
            "limiter.rules.quota.zone=Europe/Berlin",
        })
class CalendarLimitTests extends WebTestSupport {

    @Autowired
    private VirtualTimeSource time;

    @Test
    void startsAnewWithTheMonthOfItsZone() throws Exception {
        time.advanceTo(Instant.parse("2029-02-28T22:59:50Z")); // ten seconds to midnight

        HttpResponse<String> first = get("/quota");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(field(first, "RateLimit-Policy")).isEqualTo("\"quota\";q=2;w=2678400"); // a month of 31 days
        assertThat(field(first, "RateLimit")).isEqualTo("\"quota\";r=1;t=10");
        assertThat(get("/quota").statusCode()).isEqualTo(200);
        HttpResponse<String> rejected = get("/quota");
        assertThat(rejected.statusCode()).isEqualTo(429);
        assertThat(field(rejected, "Retry-After")).isEqualTo("10");

        time.advance(Duration.ofSeconds(10).minusNanos(1));
        assertThat(get("/quota").statusCode()).isEqualTo(429);
        time.advance(Duration.ofNanos(1));
        HttpResponse<String> march = get("/quota");
        assertThat(march.statusCode()).isEqualTo(200);
        // clocks go forward on March 25th: the month is an hour short of 31 days
        assertThat(field(march, "RateLimit")).isEqualTo("\"quota\";r=1;t=" + (31 * 86_400 - 3_600));
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Base.class)
    static class Application {

        @RestController
        static class Controller {

            @GetMapping("/quota")
            String quota() {
                return "ok";
            }
        }
    }
}
