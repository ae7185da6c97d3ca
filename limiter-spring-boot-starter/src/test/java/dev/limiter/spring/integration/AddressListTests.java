package dev.limiter.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.annotation.RateLimiter;
import dev.limiter.spring.decide.Outcome;
import dev.limiter.spring.decide.RateLimitEvent;
import dev.limiter.spring.decide.RateLimitListener;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Addresses that a rule never limits, and addresses that it always rejects. */
class AddressListTests {

    private static final String LOOPBACK = "127.0.0.0/8,::1";

    /** The test is a proxy; the network of the proxies is exempt like that of the office. */
    @Nested
    @TestPropertySource(
            properties = {
                "limiter.web.trusted-proxies=" + LOOPBACK,
                "limiter.rules.lists.paths=/lists",
                "limiter.rules.lists.limit=1",
                "limiter.rules.lists.window=1h",
                "limiter.rules.lists.key=ip",
                "limiter.rules.lists.allow=" + LOOPBACK + ",203.0.113.0/24,2001:db8:1::/48",
                "limiter.rules.lists.deny=203.0.113.66,198.51.100.0/24",
                "limiter.rules.watched.paths=/watched",
                "limiter.rules.watched.mode=shadow",
                "limiter.rules.watched.limit=1",
                "limiter.rules.watched.window=1h",
                "limiter.rules.watched.deny=192.0.2.200",
                "limiter.rules.method.limit=1",
                "limiter.rules.method.window=1h",
                "limiter.rules.method.allow=203.0.113.0/24",
                "limiter.rules.method.deny=198.51.100.0/24",
                "limiter.web.default-limit.limit=1",
                "limiter.web.default-limit.window=1h",
                "limiter.web.default-limit.allow=203.0.113.0/24",
                "limiter.web.default-limit.deny=198.51.100.0/24",
            })
    @ContextConfiguration(classes = Application.class)
    class BehindAProxy extends WebTestSupport {

        @Autowired
        private List<RateLimitEvent> events;

        @BeforeEach
        void forget() {
            events.clear();
        }

        @ParameterizedTest
        @ValueSource(strings = {"203.0.113.1", "::ffff:203.0.113.1", "2001:db8:1:2::3", "6.6.6.6, 203.0.113.1"})
        void whoIsAllowedIsNeverLimited(String client) throws Exception {
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> response = get("/lists", "X-Forwarded-For", client);
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(field(response, "RateLimit")).isEmpty();
            }
            assertThat(events).extracting(RateLimitEvent::outcome).containsOnly(Outcome.SKIPPED);
        }

        @Test
        void theProxyItselfIsAllowedWhereItSaysSo() throws Exception {
            assertThat(get("/lists").statusCode()).isEqualTo(200);
            assertThat(get("/lists").statusCode()).isEqualTo(200);
        }

        @Test
        void whoCannotBeToldIsLimited() throws Exception {
            assertLimited("Forwarded", "for=192.0.2.1", "X-Forwarded-For", "192.0.2.2");
            assertLimited("X-Forwarded-For", "unknown");
            assertThat(get("/lists", "X-Forwarded-For", "").statusCode()).isEqualTo(429);
        }

        @Test
        void whoIsDeniedIsRejected() throws Exception {
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
            assertThat(get("/lists", "X-Forwarded-For", "203.0.113.66").statusCode())
                    .isEqualTo(403);
        }

        @Test
        void whoIsOnNoListIsLimited() throws Exception {
            assertLimited("X-Forwarded-For", "192.0.2.9");
        }

        @Test
        void aRuleThatOnlyWatchesRejectsNobody() throws Exception {
            assertThat(get("/watched", "X-Forwarded-For", "192.0.2.200").statusCode())
                    .isEqualTo(200);
            assertThat(events).extracting(RateLimitEvent::outcome).contains(Outcome.SHADOW_REJECTED);
        }

        @Test
        void annotatedMethodsHaveTheListsOfTheirRule() throws Exception {
            assertThat(get("/method", "X-Forwarded-For", "203.0.113.1").statusCode())
                    .isEqualTo(200);
            assertThat(get("/method", "X-Forwarded-For", "203.0.113.1").statusCode())
                    .isEqualTo(200);
            assertThat(get("/method", "X-Forwarded-For", "198.51.100.7").statusCode())
                    .isEqualTo(403);
            assertThat(get("/method", "X-Forwarded-For", "192.0.2.1").statusCode())
                    .isEqualTo(200);
            assertThat(get("/method", "X-Forwarded-For", "192.0.2.1").statusCode())
                    .isEqualTo(429);
        }

        @Test
        void automaticLimitHasItsLists() throws Exception {
            assertThat(get("/plain", "X-Forwarded-For", "203.0.113.1").statusCode())
                    .isEqualTo(200);
            assertThat(get("/plain", "X-Forwarded-For", "203.0.113.1").statusCode())
                    .isEqualTo(200);
            assertThat(get("/plain", "X-Forwarded-For", "198.51.100.7").statusCode())
                    .isEqualTo(403);
        }

        private void assertLimited(String... headers) throws IOException, InterruptedException {
            assertThat(get("/lists", headers).statusCode()).isEqualTo(200);
            assertThat(get("/lists", headers).statusCode()).isEqualTo(429);
        }
    }

    /** The test may be a proxy that nobody listed. */
    @Nested
    @TestPropertySource(
            properties = {
                "limiter.rules.lists.paths=/lists",
                "limiter.rules.lists.limit=1",
                "limiter.rules.lists.window=1h",
                "limiter.rules.lists.allow=" + LOOPBACK,
                "limiter.rules.method.limit=1",
                "limiter.rules.method.window=1h",
                "limiter.rules.rejecting.paths=/watched",
                "limiter.rules.rejecting.limit=1",
                "limiter.rules.rejecting.window=1h",
                "limiter.rules.rejecting.deny=" + LOOPBACK,
            })
    @ContextConfiguration(classes = Application.class)
    class NobodyTrusted extends WebTestSupport {

        @Test
        void whoPassesOnRequestsIsNotBelievedToBeAllowed() throws Exception {
            assertThat(get("/lists").statusCode()).isEqualTo(200);
            assertThat(get("/lists").statusCode()).isEqualTo(200);
            assertThat(get("/lists", "X-Forwarded-For", "192.0.2.1").statusCode())
                    .isEqualTo(200);
            assertThat(get("/lists", "X-Forwarded-For", "192.0.2.1").statusCode())
                    .isEqualTo(429);
            assertThat(get("/lists", "Forwarded", "for=127.0.0.1").statusCode()).isEqualTo(429);
            assertThat(get("/lists").statusCode()).isEqualTo(200);
        }

        @Test
        void deniedIsThePeerWhateverItSays() throws Exception {
            assertThat(get("/watched").statusCode()).isEqualTo(403);
            assertThat(get("/watched", "X-Forwarded-For", "192.0.2.1").statusCode())
                    .isEqualTo(403);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({WebTestSupport.Base.class, Endpoints.class})
    static class Application {

        @Bean
        List<RateLimitEvent> events() {
            return new CopyOnWriteArrayList<>();
        }

        @Bean
        RateLimitListener listener(List<RateLimitEvent> events) {
            return events::add;
        }
    }

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
