package dev.limiter.spi;

/**
 * A component that caches something about earlier requests outside the storage, for example a resolver with a cache.
 * Beans of this type are reset before each test with {@code @WithVirtualTime} of {@code limiter-test}. Implementations
 * are thread-safe.
 */
@FunctionalInterface
public interface Resettable {

    /** Discards everything about earlier requests. */
    void reset();
}
