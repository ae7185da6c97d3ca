package dev.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The sample is configured as intended: the report at the start has no findings. */
public abstract class SampleStartContract {

    /** The output of a sample with these arguments until it is ready. */
    protected abstract String logOf(String... arguments);

    @Test
    void startsWithoutAFinding() {
        assertThat(logOf("--server.port=0")).contains(":: Spring Boot ::").doesNotContain("StartupReport");
    }

    @Test
    void aMisspeltPathWouldBeFound() {
        assertThat(logOf("--server.port=0", "--limiter.rules.reports.paths=/repotrs/**"))
                .contains("StartupReport", "limiter.rules.reports.paths = /repotrs/**: no endpoint");
    }
}
