package dev.limiter.spring.failure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects problems, so that all of them are reported at once. Not thread-safe. */
public final class Problems {

    private final List<Problem> problems = new ArrayList<>();

    public void add(MessageCode code, String where, @Nullable Object value, String reason) {
        add(new Problem(code, where, value, reason));
    }

    public void add(Problem problem) {
        problems.add(problem);
    }

    /** Returns the result of {@code part}; null if it fails, after adding its problems. */
    public <T> @Nullable T collect(Supplier<? extends @Nullable T> part) {
        try {
            return part.get();
        } catch (LimiterConfigurationException exception) {
            problems.addAll(exception.problems());
            return null;
        }
    }

    /**
     * Returns a part if it and all others are valid.
     *
     * @throws LimiterConfigurationException if there are any problems
     */
    public <T> T valid(@Nullable T part) {
        if (part == null || !problems.isEmpty()) {
            throw new LimiterConfigurationException(problems);
        }
        return part;
    }

    public boolean isEmpty() {
        return problems.isEmpty();
    }

    /** @throws LimiterConfigurationException if there are problems */
    public void throwIfAny() {
        if (!problems.isEmpty()) {
            throw new LimiterConfigurationException(problems);
        }
    }
}
