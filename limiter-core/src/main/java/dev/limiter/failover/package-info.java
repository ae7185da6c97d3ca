/**
 * Decides while a shared storage cannot be asked. {@link dev.limiter.failover.FailoverRateLimiterStorage} wraps a
 * {@link dev.limiter.failover.RemoteStorage}, the only type that another store has to implement; no class here depends
 * on a particular store. Internal, but for the types that the manual lists (docs/reference/api.md).
 */
@NullMarked
package dev.limiter.failover;

import org.jspecify.annotations.NullMarked;
