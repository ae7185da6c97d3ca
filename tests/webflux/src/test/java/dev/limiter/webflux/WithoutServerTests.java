package dev.limiter.webflux;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.web.reactive.server.WebTestClient;

/** Requests of a WebTestClient that is bound to an application, without a connection. */
class WithoutServerTests {

    @Test
    void requestsAreLimitedByAddress() {
        try (Applications applications = new Applications()) {
            ConfigurableApplicationContext context = applications.start(Streams.class, """
                    limiter.rules:
                      limited: {paths: ["/limited"], key: ip, limit: 1, window: 1h}
                      annotated: {key: ip, limit: 1, window: 1h}
                      plain: {key: ip, limit: 1, window: 1h}
                      annotated-events: {key: ip, limit: 1, window: 1h}
                    """);
            WebTestClient client =
                    WebTestClient.bindToApplicationContext(context).build();
            client.get().uri("/limited").exchange().expectStatus().isOk();
            client.get().uri("/limited").exchange().expectStatus().isEqualTo(429);
        }
    }
}
