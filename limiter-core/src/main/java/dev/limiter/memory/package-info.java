/**
 * The in-memory storage. {@code InMemoryRateLimiterStorage} decides. A {@code Cell} holds what one key has used, and
 * updates it atomically; {@code Cells} finds cells by key. {@code EvictionQueues} orders cells by expiry, and {@code
 * Eviction} chooses which of them leave. Decisions keep a copy of the state and compute values on demand. Internal,
 * except for the types listed in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.memory;

import org.jspecify.annotations.NullMarked;
