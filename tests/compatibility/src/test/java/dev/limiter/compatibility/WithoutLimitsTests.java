package dev.limiter.compatibility;

import static dev.limiter.test.LimiterAssertions.assertThatAnswer;

import dev.limiter.test.WithoutLimits;
import dev.limiter.testkit.Clients;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** {@link WithoutLimits} on an application with limits. */
@SpringBootTest(
        classes = VirtualTimeTests.Limited.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.config.name=none",
            "limiter.rules.named.limit=2",
            "limiter.rules.named.window=1h",
            "limiter.web.default-limit.limit=2",
            "limiter.web.default-limit.window=1h"
        })
@Tag("each-line")
@WithoutLimits
class WithoutLimitsTests {

    @Test
    void limitsNothing(@LocalServerPort int port) {
        assertUnlimited(new Clients(port));
    }

    @Nested
    class InANestedClass {

        @Test
        void limitsNothing(@LocalServerPort int port) {
            assertUnlimited(new Clients(port));
        }
    }

    private static void assertUnlimited(Clients clients) {
        for (int i = 0; i < 3; i++) {
            assertThatAnswer(clients.get("/annotated/named")).isPermitted().hasNoRateLimit();
            assertThatAnswer(clients.get("/mine")).isPermitted().hasNoRateLimit();
        }
    }
}
