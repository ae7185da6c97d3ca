package dev.limiter.spring.rule;

import dev.limiter.Algorithm;
import dev.limiter.Limit;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns the raw settings of one limit into the core's limit. Thread-safe. */
final class LimitCompiler {

    private static final Set<Algorithm> WITH_BURST = Set.of(Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET);
    private static final Set<Algorithm> WITH_BUCKETS = Set.of(Algorithm.SLIDING_WINDOW_COUNTER);

    private final Set<Algorithm> available;

    /**
     * @param available the algorithms that there is a strategy for
     */
    LimitCompiler(Set<Algorithm> available) {
        this.available = available;
    }

    /**
     * @param name empty for the only limit of a rule
     * @throws LimiterConfigurationException if the settings cannot work
     */
    Limit compile(String name, LimitDefinition definition) {
        Problems problems = new Problems();
        Algorithm algorithm = definition.algorithm() == null
                ? Algorithm.TOKEN_BUCKET
                : definition.algorithm().value();
        checkAlgorithm(definition.algorithm(), problems);
        ignored("burst", definition.burst(), algorithm, WITH_BURST, problems);
        ignored("buckets", definition.buckets(), algorithm, WITH_BUCKETS, problems);
        range("burst", definition.burst(), Limit.MAX_PERMITS, problems);
        range("buckets", definition.buckets(), 1000, problems);
        Setting<Long> limit = definition.limit();
        if (limit == null) {
            problems.add(definition.where(), null, "A limit is missing: say how many, such as limit: 100.");
        }
        range("limit", limit, Limit.MAX_PERMITS, problems);
        Duration window = window(definition, problems);
        problems.throwIfAny();
        return limit(name, algorithm, limit == null ? 0 : limit.value(), window, definition);
    }

    private void checkAlgorithm(@Nullable Setting<Algorithm> algorithm, Problems problems) {
        if (algorithm != null && !available.contains(algorithm.value())) {
            problems.add(
                    algorithm.where(),
                    display(algorithm.value()),
                    "This algorithm is not available; there are " + display(available) + ".");
        }
    }

    private static void ignored(
            String option, @Nullable Setting<?> setting, Algorithm algorithm, Set<Algorithm> with, Problems problems) {
        if (setting != null && !with.contains(algorithm)) {
            problems.add(
                    setting.where(),
                    setting.value(),
                    display(algorithm) + " has no " + option + " and would ignore it; only " + display(with)
                            + " has one. Remove it, or choose another algorithm.");
        }
    }

    private static void range(String option, @Nullable Setting<? extends Number> setting, long max, Problems problems) {
        if (setting != null
                && (setting.value().longValue() < 1 || setting.value().longValue() > max)) {
            problems.add(setting.where(), setting.value(), "A " + option + " must be from 1 to " + max + ".");
        }
    }

    private static Duration window(LimitDefinition definition, Problems problems) {
        Setting<String> window = definition.window();
        if (window == null) {
            problems.add(
                    definition.where(),
                    null,
                    "A window is missing: say the time that the limit is for, such as" + " window: 1m.");
            return Duration.ZERO;
        }
        try {
            Duration duration = DurationParser.parse(window.value());
            if (duration.isZero() || duration.compareTo(Limit.MAX_WINDOW) > 0) {
                problems.add(
                        window.where(),
                        window.value(),
                        "A window must be longer than zero and at most " + Limit.MAX_WINDOW.toDays()
                                + "d, such as 1s or 1m.");
            }
            return duration;
        } catch (IllegalArgumentException exception) {
            problems.add(window.where(), window.value(), exception.getMessage() + ".");
            return Duration.ZERO;
        }
    }

    private static Limit limit(
            String name, Algorithm algorithm, long limit, Duration window, LimitDefinition definition) {
        try {
            Limit compiled = switch (algorithm) {
                case TOKEN_BUCKET -> Limit.tokenBucket(limit, window).burst(or(definition.burst(), limit));
                case LEAKY_BUCKET -> Limit.leakyBucket(limit, window).burst(or(definition.burst(), limit));
                case FIXED_WINDOW -> Limit.fixedWindow(limit, window);
                case SLIDING_WINDOW_COUNTER ->
                    Limit.slidingWindowCounter(limit, window).buckets((int) or(definition.buckets(), 10));
                case SLIDING_WINDOW_LOG -> Limit.slidingWindowLog(limit, window);
                case CONCURRENCY -> throw new IllegalArgumentException("concurrency is not available yet");
            };
            return name.isEmpty() ? compiled : compiled.named(name);
        } catch (IllegalArgumentException exception) {
            throw new LimiterConfigurationException(
                    new Problem(definition.where(), null, exception.getMessage() + "."));
        }
    }

    private static long or(@Nullable Setting<? extends Number> setting, long otherwise) {
        return setting == null ? otherwise : setting.value().longValue();
    }

    private static String display(Algorithm algorithm) {
        return algorithm.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String display(Set<Algorithm> algorithms) {
        return algorithms.stream().sorted().map(LimitCompiler::display).collect(Collectors.joining(", "));
    }
}
