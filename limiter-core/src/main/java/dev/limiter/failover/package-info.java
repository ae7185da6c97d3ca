/**
 * Decides while a shared storage is down. {@link dev.limiter.failover.FailoverRateLimiterStorage} wraps a {@link
 * dev.limiter.failover.RemoteStorage}, the only type that another storage has to implement. Internal, except for the
 * types listed in docs/reference/api.md.
 */
@NullMarked
package dev.limiter.failover;

import org.jspecify.annotations.NullMarked;
