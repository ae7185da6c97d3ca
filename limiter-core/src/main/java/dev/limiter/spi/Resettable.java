package dev.limiter.spi;

/**
 * Remembers something of earlier requests besides the storage. Beans of this type begin anew before each test with
 * {@code @WithVirtualTime} of {@code limiter-test}: for resolvers of an application that have a cache, as well.
 * Implementations are thread-safe.
 */
@FunctionalInterface
public interface Resettable {

    /** Forgets what it remembers; decides from now on as if nothing had been. */
    void reset();
}
