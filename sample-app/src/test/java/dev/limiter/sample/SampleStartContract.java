package dev.limiter.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the sample shows is meant as it is: the report at the start finds nothing. */
public abstract class SampleStartContract {

    /** What a sample that starts with these arguments writes until it is ready. */
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
