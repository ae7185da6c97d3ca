package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Addresses that a rule never limits, and addresses that it always rejects; the test acts as a trusted proxy. */
@Yml("""
        limiter:
          web:
            trusted-proxies: [127.0.0.0/8, '::1']
            default-limit: { limit: 1, window: 1h, allow: 203.0.113.0/24, deny: 198.51.100.0/24 }
          rules:
            lists: { paths: /lists, limit: 1, window: 1h, key: ip,
                allow: [127.0.0.0/8, '::1', 203.0.113.0/24, 2001:db8:1::/48], deny: [203.0.113.66, 198.51.100.0/24] }
            watched: { paths: /watched, mode: shadow, limit: 1, window: 1h, deny: 192.0.2.200 }
            method: { limit: 1, window: 1h, allow: 203.0.113.0/24, deny: 198.51.100.0/24 }
        """)
class AddressListTests extends WebTestSupport {

    @BeforeEach
    void forget() {
        events.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"203.0.113.1", "::ffff:203.0.113.1", "2001:db8:1:2::3", "6.6.6.6, 203.0.113.1"})
    void allowedAddressIsNeverLimited(String client) throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = get("/lists", "X-Forwarded-For", client);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(field(response, "RateLimit")).isEmpty();
        }
        assertThat(events).extracting(RateLimitEvent::outcome).containsOnly(Outcome.SKIPPED);
    }

    @Test
    void proxyItselfCanBeAllowed() throws Exception {
        assertStatuses(List.of(200, 200), "/lists");
    }

    @Test
    void unknownAddressIsLimited() throws Exception {
        assertLimited("Forwarded", "for=192.0.2.1", "X-Forwarded-For", "192.0.2.2");
        assertLimited("X-Forwarded-For", "unknown");
        assertThat(get("/lists", "X-Forwarded-For", "").statusCode()).isEqualTo(429);
    }

    @Test
    void deniedAddressIsRejected() throws Exception {
        HttpResponse<String> rejected = get("/lists", "X-Forwarded-For", "198.51.100.7");

        assertThat(rejected.statusCode()).isEqualTo(403);
        assertThat(field(rejected, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(rejected, "Cache-Control")).isEqualTo("no-store");
        assertThat(field(rejected, "Retry-After")).isEmpty();
        assertThat(field(rejected, "RateLimit")).isEmpty();
        assertThat(rejected.body())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,"
                        + "\"detail\":\"Requests from this address are not allowed.\",\"instance\":\"/lists\"}");
        assertThat(events).extracting(RateLimitEvent::outcome).containsExactly(Outcome.DENIED);
    }

    @Test
    void denyComesBeforeAllow() throws Exception {
        assertStatus(403, "/lists", "X-Forwarded-For", "203.0.113.66");
    }

    @Test
    void shadowRuleRejectsNothing() throws Exception {
        assertStatus(200, "/watched", "X-Forwarded-For", "192.0.2.200");
        assertThat(events).extracting(RateLimitEvent::outcome).contains(Outcome.SHADOW_REJECTED);
    }

    @Test
    void annotatedMethodsHaveTheListsOfTheirRule() throws Exception {
        assertStatuses(List.of(200, 200), "/method", "X-Forwarded-For", "203.0.113.1");
        assertStatus(403, "/method", "X-Forwarded-For", "198.51.100.7");
        assertStatuses(List.of(200, 429), "/method", "X-Forwarded-For", "192.0.2.1");
    }

    @Test
    void automaticLimitHasItsLists() throws Exception {
        assertStatuses(List.of(200, 200), "/plain", "X-Forwarded-For", "203.0.113.1");
        assertStatus(403, "/plain", "X-Forwarded-For", "198.51.100.7");
    }

    private void assertLimited(String... headers) throws IOException, InterruptedException {
        assertStatuses(List.of(200, 429), "/lists", headers);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({WebTestSupport.Base.class, Endpoints.class})
    static class Application {}

    @RestController
    static class Endpoints {

        @GetMapping({"/lists", "/watched", "/plain"})
        String plain() {
            return "served";
        }

        @RateLimiter("method")
        @GetMapping("/method")
        String method() {
            return "served";
        }
    }
}
