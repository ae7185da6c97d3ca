/**
 * Decides while a storage that instances share cannot be asked. {@link
 * dev.limiter.failover.FailoverRateLimiterStorage} goes around a {@link dev.limiter.failover.RemoteStorage}, which is all
 * that another store has to implement; no class here knows which one it is.
 */
@NullMarked
package dev.limiter.failover;

import org.jspecify.annotations.NullMarked;
