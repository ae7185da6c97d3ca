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

class LimiterConfigurationFailureAnalyzerTests {

    private static final String MORE = "Search the manual for a code, for example LIM-301.";

    @Test
    void describesEachProblemAndTheActionOfEachCodeOnce() {
        FailureAnalysis analysis = analysis(
                new Problem(MessageCode.KEY, "limiter.rules.a.key", "x", "Unknown."),
                new Problem(MessageCode.KEY, "limiter.rules.b.key", "y", "Unknown."),
                new Problem(MessageCode.COST, "cost of @RateLimiter on Orders.list()", null, "Missing."));
        assertThat(analysis.getDescription()).isEqualTo("""
                limiter.rules.a.key = "x" (class path resource [application.yml] - 7:11)
                    Unknown. [LIM-301]

                limiter.rules.b.key = "y"
                    Unknown. [LIM-301]

                cost of @RateLimiter on Orders.list()
                    Missing. [LIM-208]""");
        assertThat(analysis.getAction())
                .isEqualTo(String.join(
                        "\n", "LIM-301: " + MessageCode.KEY.action(), "LIM-208: " + MessageCode.COST.action(), MORE));
    }

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
