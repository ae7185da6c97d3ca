package dev.limiter;

import dev.limiter.algorithm.LibraryStrategy;
import dev.limiter.spi.CompiledLimit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Gives each limit the strategy of its algorithm. Immutable. */
public final class RateLimiterFactory {

    private final Map<Algorithm, RateLimiterStrategy> strategies = new EnumMap<>(Algorithm.class);

    /** A factory with the strategies of the library. */
    public RateLimiterFactory() {
        this(List.of());
    }

    /** A factory with the strategies of the library; {@code own} replaces those of the same algorithms. */
    public RateLimiterFactory(Iterable<? extends RateLimiterStrategy> own) {
        for (Algorithm algorithm : Algorithm.values()) {
            add(new LibraryStrategy(algorithm));
        }
        own.forEach(this::add);
    }

    @SuppressWarnings("ConstantValue")
    private void add(RateLimiterStrategy strategy) {
        Algorithm algorithm = strategy.algorithm();
        if (algorithm == null) {
            throw new IllegalArgumentException(strategy.getClass().getName()
                    + ".algorithm() gave null: a strategy, and a mock of one, names its algorithm");
        }
        strategies.put(algorithm, strategy);
    }

    /** Whether there is a strategy for an algorithm: for all of them, except in a mock. */
    public boolean supports(Algorithm algorithm) {
        return strategies.containsKey(algorithm);
    }

    /** The strategy of an algorithm; of a new factory, that of the library. */
    public RateLimiterStrategy strategy(Algorithm algorithm) {
        return Objects.requireNonNull(strategies.get(algorithm));
    }

    /** The arithmetic of a limit; {@code now} as in {@link RateLimiterStrategy#compile}. */
    public CompiledLimit compile(Limit limit, long now) {
        return strategy(limit.algorithm()).compile(limit, now);
    }
}
