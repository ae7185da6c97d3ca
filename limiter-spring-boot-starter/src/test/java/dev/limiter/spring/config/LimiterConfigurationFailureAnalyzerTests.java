package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.StandardEnvironment;

/** A failure at startup stays readable with many problems. */
class LimiterConfigurationFailureAnalyzerTests {

    @Test
    void describesTheFirstFiftyProblemsAndCountsTheOthers() {
        LimiterConfigurationException failure = new LimiterConfigurationException(IntStream.range(0, 52)
                .mapToObj(i -> new Problem(MessageCode.KEY, "limiter.rules.r" + i + ".key", "x", "Unknown."))
                .toList());
        FailureAnalysis analysis = new LimiterConfigurationFailureAnalyzer(new StandardEnvironment())
                .analyze(new IllegalStateException(failure), failure);
        assertThat(analysis.getDescription())
                .contains("limiter.rules.r49.key")
                .doesNotContain("limiter.rules.r50.key")
                .endsWith("There are 2 more problems.");
    }
}
