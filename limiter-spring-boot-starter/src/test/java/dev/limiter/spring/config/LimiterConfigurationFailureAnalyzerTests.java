package dev.limiter.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin.Location;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;

/** A failure at startup stays readable with many problems. */
class LimiterConfigurationFailureAnalyzerTests {

    @Test
    void describesTheFirstFiftyProblemsAndCountsTheOthers() {
        FailureAnalysis analysis = analysis(IntStream.range(0, 52)
                .mapToObj(i -> new Problem(MessageCode.KEY, "limiter.rules.r" + i + ".key", "x", "Unknown."))
                .toArray(Problem[]::new));
        assertThat(analysis.getDescription())
                .contains("limiter.rules.r49.key")
                .doesNotContain("limiter.rules.r50.key")
                .endsWith("There are 2 more problems.");
    }

    private static FailureAnalysis analysis(Problem... problems) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new OriginTrackedMapPropertySource(
                        "application.yml",
                        Map.of(
                                "limiter.rules.a.key",
                                OriginTrackedValue.of(
                                        "x",
                                        new TextResourceOrigin(
                                                new ClassPathResource("application.yml"), new Location(6, 10))))));
        LimiterConfigurationException failure = new LimiterConfigurationException(List.of(problems));
        return new LimiterConfigurationFailureAnalyzer(environment)
                .analyze(new IllegalStateException(failure), failure);
    }
}
