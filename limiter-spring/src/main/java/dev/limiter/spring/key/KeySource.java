package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * Resolves parts of keys by name in application code. Use a bean of this type by its bean name: with a bean
 * {@code claim}, {@code key: "claim:sub"} resolves {@code sub}. Built-in kinds such as {@code header:} take precedence.
 */
@FunctionalInterface
public interface KeySource {

    /**
     * Returns the value of the part. Requests without a value (null or empty) share a bucket. Called for each decision
     * on its thread, so it must be thread-safe and may block. If it throws, the response has status 500 and the failure
     * is logged.
     *
     * @param name the text after the colon in the key, without spaces around it; never empty
     */
    @Nullable
    String resolve(String name, RateLimitContext context);
}
