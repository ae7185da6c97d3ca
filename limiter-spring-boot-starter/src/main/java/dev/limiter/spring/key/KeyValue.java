package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/** Where the value of a key part comes from; null or empty if it is not known. */
@FunctionalInterface
interface KeyValue {

    @Nullable
    String of(RateLimitContext context);
}
