package dev.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The sample starts without findings. */
@ExtendWith(OutputCaptureExtension.class)
class SampleStartTests {

    @Test
    void startsWithoutAFinding(CapturedOutput output) {
        start("--server.port=0");
        assertThat(output).contains(":: Spring Boot ::").doesNotContain("StartupReport");
    }

    @Test
    void aMisspeltPathIsFound(CapturedOutput output) {
        start("--server.port=0", "--limiter.rules.reports.paths=/repotrs/**");
        assertThat(output).contains("StartupReport", "limiter.rules.reports.paths = /repotrs/**: no endpoint");
    }

    private static void start(String... arguments) {
        SpringApplication.run(SampleApplication.class, arguments).close();
    }
}
