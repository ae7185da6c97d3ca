package dev.limiter;

import java.time.Duration;
import java.util.Optional;

/**
 * The status of one limit after a decision. Immutable and thread-safe.
 *
 * @param policy the name that clients see: the rule's name, or {@code rule-limit} for a named limit
 * @param limit the limit that was applied; for a {@linkplain Decision#onFailure() local decision} during an outage, the
 *     share of this instance
 * @param permitted whether this limit alone would have permitted the request
 * @param remaining the permits left, 0 or more
 * @param retryAfter the time until this limit alone would permit the request, if no other request comes; empty if it
 *     did permit it, never will, or depends on releases (concurrency)
 * @param resetAfter the time until the limit is unused again, if no other request comes; zero for concurrency
 */
public record LimitStatus(
        String policy,
        Limit limit,
        boolean permitted,
        long remaining,
        Optional<Duration> retryAfter,
        Duration resetAfter) {}
