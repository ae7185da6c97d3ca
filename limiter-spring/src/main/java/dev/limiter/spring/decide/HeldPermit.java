package dev.limiter.spring.decide;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The permits of a rule's concurrency limits that a request or call holds until its work is done. Compared by identity.
 *
 * @param rule the name of the rule
 * @param key the key as storages contain it; may be secret, see {@link RateLimitEvent#key()}
 * @param permits the number of permits, at least 1; the largest over all limits
 * @param resource the resource: method and pattern of an endpoint, or {@code Class.method}
 * @param thread the name of the thread that took them; asynchronous work may run on another one
 * @param since the time when they were taken
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
