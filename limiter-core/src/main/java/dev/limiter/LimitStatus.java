package dev.limiter;

import java.time.Duration;
import java.util.Optional;

/**
 * Where one limit stood in a decision.
 *
 * @param policy the name that clients see: the rule's, or {@code rule-limit} for a named limit
 * @param permitted whether this limit alone would have permitted the request
 * @param remaining the permits that could still be taken at that moment, 0 or more
 * @param retryAfter when this limit alone would permit the request, if nobody else asks: empty when it did, when it
 *     never will, and when nobody can tell (concurrency)
 * @param resetAfter when nothing of what was used counts any longer, if nobody else asks
 */
public record LimitStatus(
        String policy,
        Limit limit,
        boolean permitted,
        long remaining,
        Optional<Duration> retryAfter,
        Duration resetAfter) {}
