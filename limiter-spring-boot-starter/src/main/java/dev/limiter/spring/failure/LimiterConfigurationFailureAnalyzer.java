package dev.limiter.spring.failure;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Says which settings of Limiter cannot work, where they were written, and what would be right. */
final class LimiterConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LimiterConfigurationException> {

    private final PropertyOrigins origins;

    LimiterConfigurationFailureAnalyzer(@Nullable Environment environment) {
        this.origins = new PropertyOrigins(environment);
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LimiterConfigurationException cause) {
        return new FailureAnalysis(
                cause.problems().stream().map(this::describe).collect(Collectors.joining("\n\n")),
                "Correct what is named above; the application does not start with limits that are not what they seem.",
                cause);
    }

    private String describe(Problem problem) {
        String origin = origins.of(problem.where());
        return problem.where()
                + (problem.value() == null ? "" : " = \"" + problem.value() + "\"")
                + (origin == null ? "" : " (" + origin + ")")
                + "\n    "
                + problem.reason();
    }
}
