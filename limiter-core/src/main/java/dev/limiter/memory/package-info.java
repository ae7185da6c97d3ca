/**
 * The storage in memory. {@code InMemoryRateLimiterStorage} decides; {@code Cell} is what one key used, and swaps it
 * atomically; {@code States} finds cells by key; {@code TimeAxis} knows which ones leave, and when; the decisions
 * remember a state and work out what is asked of them.
 */
@NullMarked
package dev.limiter.memory;

import org.jspecify.annotations.NullMarked;
