package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * Parts of keys from the application, told apart by a name. A bean of this type is used by its own name: with a bean
 * {@code claim}, {@code key: "claim:sub"} asks it for {@code sub}. The kinds of this library, such as {@code
 * header:}, come first.
 */
@FunctionalInterface
public interface KeySource {

    /**
     * The value of that name; null or empty if it is not known: all such requests share a bucket. Runs for each
     * decision, on its thread, and may block it; must be thread-safe. After an exception the request is answered with
     * status 500, and the log has the reason.
     *
     * @param name the text after the colon in the key, without spaces around it; never empty
     */
    @Nullable
    String resolve(String name, RateLimitContext context);
}
