/**
 * Internal: requests that wait, in one of two ways. Token buckets, leaky buckets and fixed windows give a {@linkplain
 * dev.limiter.waiting.ReservedTurns reserved turn}. All others stand in {@linkplain dev.limiter.waiting.QueuedRequests
 * FIFO queues} whose heads try again.
 */
@NullMarked
package dev.limiter.waiting;

import org.jspecify.annotations.NullMarked;
