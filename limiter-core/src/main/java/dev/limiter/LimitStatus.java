package dev.limiter;

import java.time.Duration;
import java.util.Optional;

/**
 * What one limit had left at the moment of a decision. Immutable, thread-safe.
 *
 * @param policy the name that clients see: the rule's, or {@code rule-limit} for a named limit
 * @param limit as it was decided by: the one of the {@linkplain Decision#rule() rule}, or while several instances decide
 *     {@linkplain Decision#onFailure() alone}, the share of this one
 * @param permitted whether this limit alone would have permitted the request
 * @param remaining the permits left at that moment, 0 or more
 * @param retryAfter the time until this limit alone would permit the request, if no other comes: empty if it did, if it
 *     never will, and if that depends on releases (concurrency)
 * @param resetAfter the time until the limit is unused again, if no other request comes; zero for concurrency
 */
public record LimitStatus(
        String policy,
        Limit limit,
        boolean permitted,
        long remaining,
        Optional<Duration> retryAfter,
        Duration resetAfter) {}
