package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Both libraries in one application, each with its own annotation {@code @RateLimiter}. */
@Tag("each-line")
@SharedApplication
class Resilience4jTests {

    @Autowired
    private VirtualTimeSource clock;

    private Clients clients;

    @BeforeEach
    void forgetEarlierTests(@LocalServerPort int port) {
        clients = new Clients(port);
        Applications.startAnotherDay(clock);
    }

    @Test
    void theirsLimitsTheirMethod() {
        IntStream.range(0, 2)
                .forEach(i -> assertThat(clients.get("/theirs").body()).isEqualTo("served"));

        assertThat(clients.get("/theirs").body()).isEqualTo("rejected by resilience4j");
    }

    @Test
    void oursLimitsOurMethod() {
        IntStream.range(0, 3)
                .forEach(i -> assertThat(clients.get("/ours").body()).isEqualTo("served"));

        assertThat(clients.get("/ours").statusCode()).isEqualTo(429);
    }
}
