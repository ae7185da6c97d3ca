/**
 * Internal: requests that wait, in one of two ways. Token buckets, leaky buckets and fixed windows give a reserved turn
 * ({@code ReservedTurns}). All others stand in FIFO queues whose heads try again ({@code QueuedRequests}).
 */
@NullMarked
package dev.limiter.waiting;

import org.jspecify.annotations.NullMarked;
