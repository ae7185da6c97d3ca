package dev.limiter.spring.context;

import org.jspecify.annotations.Nullable;

/**
 * A decision that code requests for a key. It has no request, even in the thread of one.
 *
 * @param key the key that code passes
 * @param permits the number of permits; null for the cost of the rule
 * @param mayWait whether it waits if the rule has a max-wait
 */
public record CodeCall(String key, @Nullable Long permits, boolean mayWait) implements RateLimitContext {

    /** The resource of all such decisions. */
    public static final String RESOURCE = "code";

    @Override
    public @Nullable RequestView request() {
        return null;
    }

    @Override
    public String resource() {
        return RESOURCE;
    }

    @Override
    public boolean answersRequest() {
        return false;
    }
}
