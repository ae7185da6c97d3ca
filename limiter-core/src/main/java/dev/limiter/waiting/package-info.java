/**
 * Internal: requests that wait. Token buckets, leaky buckets and fixed windows reserve a turn ({@code ReservedTurns}).
 * All others use FIFO queues, and retry at the head ({@code QueuedRequests}).
 */
@NullMarked
package dev.limiter.waiting;

import org.jspecify.annotations.NullMarked;
