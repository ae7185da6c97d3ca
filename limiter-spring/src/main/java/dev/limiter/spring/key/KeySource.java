package dev.limiter.spring.key;

import dev.limiter.spring.context.RateLimitContext;
import org.jspecify.annotations.Nullable;

/**
 * Parts of keys that the application works out itself, told apart by a name. A bean of this type is used by its own
 * name: with a bean {@code claim}, {@code key: "claim:sub"} asks it for {@code sub}. The kinds of this library, such as
 * {@code header:}, come first.
 */
@FunctionalInterface
public interface KeySource {

    /**
     * The value of that name; null or empty if it is not known. Runs for each decision; must be thread-safe.
     *
     * @param name what follows the colon in the key, without spaces around it; never empty
     */
    @Nullable
    String resolve(String name, RateLimitContext context);
}
