package dev.limiter.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The annotation {@code @RateLimiter} of another library is reported. */
@ExtendWith(OutputCaptureExtension.class)
class Resilience4jTests {

    @ParameterizedTest
    @CsvSource({
        "limiter.mode=enforce, true", // resilience4j is not present to apply it
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
