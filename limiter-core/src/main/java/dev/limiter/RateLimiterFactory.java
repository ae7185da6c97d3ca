package dev.limiter;

import dev.limiter.algorithm.LibraryStrategy;
import dev.limiter.spi.CompiledLimit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Selects the strategy for the algorithm of a limit. Immutable and thread-safe. */
public final class RateLimiterFactory {

    private final Map<Algorithm, RateLimiterStrategy> strategies = new EnumMap<>(Algorithm.class);

    /** Creates a factory with the built-in strategies. */
    public RateLimiterFactory() {
        this(List.of());
    }

    /**
     * Creates a factory with the built-in strategies, some replaced by strategies in {@code own} for the same
     * algorithm.
     */
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
                    + ".algorithm() returned null, but every strategy (or mock of one) must return its algorithm");
        }
        strategies.put(algorithm, strategy);
    }

    /** Returns whether there is a strategy for the algorithm; false only for mocks of this class. */
    public boolean supports(Algorithm algorithm) {
        return strategies.containsKey(algorithm);
    }

    /** Returns the strategy for an algorithm. */
    public RateLimiterStrategy strategy(Algorithm algorithm) {
        return Objects.requireNonNull(strategies.get(algorithm));
    }

    /** Returns the compiled form of a limit; see {@link RateLimiterStrategy#compile}. */
    public CompiledLimit compile(Limit limit, long now) {
        return strategy(limit.algorithm()).compile(limit, now);
    }
}
