/**
 * The storage in memory. {@code InMemoryRateLimiterStorage} decides; {@code Cell} is what one key used, and swaps it
 * atomically; {@code Cells} finds cells by key; {@code EvictionQueues} is where each of them stands until it leaves,
 * {@code Eviction} decides which ones do; the decisions remember a state and work out what is asked of them. Internal,
 * but for the types that the manual lists (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.memory;

import org.jspecify.annotations.NullMarked;
