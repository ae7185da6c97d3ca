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
        SpringApplication.run(SampleApplication.class, "--server.port=0").close();
        assertThat(output).contains(":: Spring Boot ::").doesNotContain("StartupReport");
    }
}
