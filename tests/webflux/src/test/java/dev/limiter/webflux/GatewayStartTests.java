package dev.limiter.webflux;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Apart from other tests: an application that fails at startup closes the event loops of its JVM. */
class GatewayStartTests {

    @Test
    void unknownRuleOfAFilterIsReported() {
        try (Applications applications = new Applications()) {
            assertThatThrownBy(() -> {
                        var gateway = applications.start(
                                GatewayTests.Gateway.class, """
                                spring.cloud.gateway.server.webflux.routes:
                                  - {id: orders, uri: "http://127.0.0.1:1", predicates: ["Path=/orders/**"], filters: ["Limiter=apy"]}
                                limiter.rules.api: {key: ip, limit: 2, window: 1h}
                                """, "--spring.cloud.gateway.server.webflux.enabled=true");
                        Applications.clients(gateway).get("/orders/1");
                    })
                    .hasStackTraceContaining("The filter Limiter of the route orders")
                    .hasStackTraceContaining("No rule has this name")
                    .hasStackTraceContaining("Did you mean api?");
        }
    }
}
