package dev.limiter.spring.failure;

import java.util.List;
import java.util.stream.Collectors;

/** What is configured cannot work; stops the start. Holds everything that was found, not only the first. */
public final class LimiterConfigurationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    public LimiterConfigurationException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    public LimiterConfigurationException(Problem problem) {
        this(List.of(problem));
    }

    /** What is wrong, at least one. */
    public List<Problem> problems() {
        return problems;
    }
}
