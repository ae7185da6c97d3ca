package dev.limiter.spring.failure;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Thrown for invalid configuration, which fails at startup. Contains all problems, not only the first. */
public final class LimiterConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    public LimiterConfigurationException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).distinct().collect(Collectors.joining("\n")));
        this.problems = problems.stream().distinct().toList();
    }

    public LimiterConfigurationException(Problem problem) {
        this(List.of(problem));
    }

    /** Returns the same problems at other places. */
    public LimiterConfigurationException at(UnaryOperator<String> places) {
        return new LimiterConfigurationException(problems.stream()
                .map(problem ->
                        new Problem(problem.code(), places.apply(problem.where()), problem.value(), problem.reason()))
                .toList());
    }

    /** Returns the problems, at least one. */
    public List<Problem> problems() {
        return problems;
    }
}
