package dev.limiter;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The entry point: asks for permits. Thread-safe; does not block with the storage in memory.
 *
 * <pre>{@code
 * RateLimiters limiters = RateLimiters.builder().maxKeys(100_000).build();
 * Decision decision = limiters.tryAcquire(checkout, "alice");
 * if (!decision.permitted()) { ... decision.retryAfter() ... }
 * }</pre>
 */
public final class RateLimiters implements AutoCloseable {

    private final RateLimiterStorage storage;

    /** Decides in {@code storage}, and closes it when closed. */
    public RateLimiters(RateLimiterStorage storage) {
        this.storage = storage;
    }

    /** Takes one permit of {@code key} if it can be had now; never waits. */
    public Decision tryAcquire(Rule rule, String key) {
        return storage.decide(rule, key, 1);
    }

    /**
     * Takes permits of {@code key} if they can be had now; never waits.
     *
     * @param permits 0 or more; 0 charges nothing, is permitted, and tells where the key stands
     */
    public Decision tryAcquire(Rule rule, String key, long permits) {
        return storage.decide(rule, key, permits);
    }

    /** Takes all charges or none; never waits. */
    public Decision tryAcquire(Charge... charges) {
        return storage.decide(List.of(charges));
    }

    /** What {@link #tryAcquire(Rule, String)} would answer now; charges nothing. */
    public Decision peek(Rule rule, String key) {
        return storage.peek(rule, key);
    }

    /** Forgets what {@code key} used. */
    public void reset(Rule rule, String key) {
        storage.reset(rule, key);
    }

    /** Where the states are. */
    public RateLimiterStorage storage() {
        return storage;
    }

    @Override
    public void close() {
        storage.close();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Options of limiters that decide in memory. Not thread-safe. */
    public static final class Builder {

        private final List<RateLimiterStrategy> strategies = new ArrayList<>();
        private TimeSource timeSource = TimeSource.system();
        private long maxKeys = 100_000;

        private Builder() {}

        /**
         * How many states are kept, from 1 to 1,000,000,000, default 100,000. When there are more keys, those leave
         * first that are soonest as good as new; a key at its limit does not leave while another one can.
         */
        public Builder maxKeys(long maxKeys) {
            LimitChecks.range("maxKeys", maxKeys, 1, 1_000_000_000);
            this.maxKeys = maxKeys;
            return this;
        }

        /** The clock, default {@link TimeSource#system()}. */
        public Builder timeSource(TimeSource timeSource) {
            this.timeSource = timeSource;
            return this;
        }

        /** Replaces the strategy of an algorithm. */
        public Builder strategy(RateLimiterStrategy strategy) {
            strategies.add(strategy);
            return this;
        }

        public RateLimiters build() {
            RateLimiterStorageProvider provider = ServiceLoader.load(
                            RateLimiterStorageProvider.class, RateLimiters.class.getClassLoader())
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("No storage on the class path"));
            return new RateLimiters(provider.create(new RateLimiterFactory(strategies), timeSource, maxKeys));
        }
    }
}
