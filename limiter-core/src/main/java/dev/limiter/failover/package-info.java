/**
 * Decides while a shared storage cannot be asked. {@link dev.limiter.failover.FailoverRateLimiterStorage} wraps a
 * {@link dev.limiter.failover.RemoteStorage}, the only type that another store has to implement; no class here depends
 * on a particular store.
 */
@NullMarked
package dev.limiter.failover;

import org.jspecify.annotations.NullMarked;
