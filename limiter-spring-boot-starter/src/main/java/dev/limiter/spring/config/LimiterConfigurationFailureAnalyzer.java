package dev.limiter.spring.config;

import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Describes invalid settings of Limiter, with their source and the allowed values. */
public final class LimiterConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<LimiterConfigurationException>
        implements Ordered {

    /** Bounds the work: the source of each problem is searched for in all properties. */
    private static final int MOST_DESCRIBED = 50;

    private final PropertyOrigins origins;

    LimiterConfigurationFailureAnalyzer(@Nullable Environment environment) {
        this.origins = new PropertyOrigins(environment);
    }

    /** Before Spring Boot's own analyzer of binding failures, which does not list the allowed values. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LimiterConfigurationException cause) {
        return analysis(cause.problems(), origins, cause);
    }

    /** Returns the description of the first problems, and the action for each of their codes. */
    public static FailureAnalysis analysis(List<Problem> problems, PropertyOrigins origins, Throwable cause) {
        String description = problems.stream()
                .limit(MOST_DESCRIBED)
                .map(problem -> describe(problem, origins))
                .collect(Collectors.joining("\n\n"));
        if (problems.size() > MOST_DESCRIBED) {
            description += "\n\nThere are " + (problems.size() - MOST_DESCRIBED) + " more problems.";
        }
        String action = problems.stream()
                .map(Problem::code)
                .distinct()
                .map(code -> code + ": " + code.action())
                .collect(Collectors.joining(
                        "\n",
                        "",
                        "\nSearch the manual for a code, for example "
                                + problems.get(0).code() + "."));
        return new FailureAnalysis(description, action, cause);
    }

    private static String describe(Problem problem, PropertyOrigins origins) {
        String origin = origins.of(problem.where());
        return problem.where()
                + (problem.value() == null ? "" : " = \"" + problem.value() + "\"")
                + (origin == null ? "" : " (" + origin + ")")
                + "\n    "
                + problem.reason()
                + " ["
                + problem.code()
                + "]";
    }
}
