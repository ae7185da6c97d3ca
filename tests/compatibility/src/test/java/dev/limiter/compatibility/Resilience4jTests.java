package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.test.VirtualTimeSource;
import dev.limiter.testkit.Clients;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;

/** Both libraries in one application, each with its own annotation {@code @RateLimiter}. */
@Tag("each-line")
@SharedApplication
@ExtendWith(OutputCaptureExtension.class)
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

    @ParameterizedTest
    @CsvSource({
        "limiter.mode=enforce, true", // resilience4j is not there to apply it
        "resilience4j.ratelimiter.instances.theirs.limit-for-period=2, false"
    })
    void wrongImportIsReported(String configured, boolean theirsReported, CapturedOutput output) {
        try (ConfigurableApplicationContext application = Applications.startWithoutWeb(
                Imported.class, configured, "limiter.rules.orders.limit=3", "limiter.rules.orders.window=1h")) {
            assertThat(application.isRunning()).isTrue();
        }
        String place = "@RateLimiter on " + Imported.class.getName();
        assertThat(output).contains(place + ".orders is imported from resilience4j", "LIM-910");
        assertThat(output.getOut().contains(place + ".theirs")).isEqualTo(theirsReported);
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    public static class Imported {

        @io.github.resilience4j.ratelimiter.annotation.RateLimiter(name = "theirs")
        public void theirs() {}

        @io.github.resilience4j.ratelimiter.annotation.RateLimiter(name = "orders")
        public void orders() {}
    }
}
