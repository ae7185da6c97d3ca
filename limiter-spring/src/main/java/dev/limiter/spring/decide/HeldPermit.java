package dev.limiter.spring.decide;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The permits of a rule's concurrency limits that a request or call holds until its work is done. Compared by identity.
 *
 * @param rule the name of the rule
 * @param key the key, as storages have it; may be secret, see {@link RateLimitEvent#key()}
 * @param permits how many, from 1: the most of any of the limits
 * @param resource the resource: method and pattern of an endpoint, or {@code Class.method}
 * @param thread the name of the thread that was granted them; asynchronous work may have moved on since
 * @param since when they were granted
 */
public record HeldPermit(String rule, String key, long permits, String resource, String thread, Instant since) {

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
