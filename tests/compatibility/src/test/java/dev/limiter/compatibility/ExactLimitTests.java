package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** 20 concurrent clients send 50 requests each to a limit of 100 per hour. */
@SharedApplication
class ExactLimitTests {

    private static final Map<String, Long> EXACTLY_100 = Map.of("alice 200", 100L, "alice 429", 900L);
    private static final Map<String, Long> EXACTLY_100_EACH =
            Map.of("alice 200", 100L, "alice 429", 400L, "bob 200", 100L, "bob 429", 400L);

    @Autowired
    private VirtualTimeSource clock;

    private Clients clients;

    @BeforeEach
    void forgetEarlierTests(@LocalServerPort int port) {
        clients = new Clients(port);
        Applications.startAnotherDay(clock);
    }

    @EachAlgorithm
    void annotationPermitsExactlyItsLimit(String algorithm) {
        assertThat(clients.storm("/annotated/" + algorithm, "alice")).isEqualTo(EXACTLY_100);
    }

    @EachAlgorithm
    void annotationPermitsExactlyItsLimitToEachKey(String algorithm) {
        assertThat(clients.storm("/annotated/" + algorithm, "alice", "bob")).isEqualTo(EXACTLY_100_EACH);
    }

    @EachAlgorithm
    void rulePermitsExactlyItsLimit(String algorithm) {
        assertThat(clients.storm("/rules/" + algorithm, "alice")).isEqualTo(EXACTLY_100);
    }

    @Test
    void rulePermitsExactlyItsLimitToEachKey() {
        assertThat(clients.storm("/rules/fixed-window", "alice", "bob")).isEqualTo(EXACTLY_100_EACH);
    }

    @EachAlgorithm
    void automaticLimitPermitsExactlyItsLimit(String algorithm) {
        try (ConfigurableApplicationContext application = Applications.start(
                Automatic.class,
                "limiter.web.default-limit.limit=100",
                "limiter.web.default-limit.window=1h",
                "limiter.web.default-limit.key=header:X-Api-Key",
                "limiter.web.default-limit.algorithm=" + algorithm)) {
            assertThat(Applications.clientsOf(application).storm("/automatic/x", "alice"))
                    .isEqualTo(EXACTLY_100);
        }
    }

    @Test
    void automaticLimitPermitsExactlyItsLimitToEachKey() {
        assertThat(clients.storm("/automatic/x", "alice", "bob")).isEqualTo(EXACTLY_100_EACH);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({VirtualTimeSource.class, OpenSecurity.class, LimitedEndpoints.ByRule.class})
    static class Automatic {}
}
