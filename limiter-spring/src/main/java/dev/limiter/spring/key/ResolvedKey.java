package dev.limiter.spring.key;

import org.jspecify.annotations.Nullable;

/**
 * The key of one request or call.
 *
 * @param text the key as storages contain it
 * @param client the parts that identify the client, the same at each resource; without such parts, all except the
 *     resource
 * @param unresolved true if unidentified clients share the key: a part has no value, and no part identifies the client
 * @param missing the type of the first part without a value, such as {@code header:x-api-key}; null if each has one
 */
public record ResolvedKey(
        String text,
        String client,
        boolean unresolved,
        @Nullable String missing) {

    ResolvedKey(String text, String client) {
        this(text, client, false, null);
    }
}
