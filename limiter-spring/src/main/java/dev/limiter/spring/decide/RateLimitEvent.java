package dev.limiter.spring.decide;

import dev.limiter.Decision;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one rule did. Does not say for whom: keys of clients stay out of logs and metrics.
 *
 * @param resource what was used: method and pattern of an endpoint, or {@code Class.method}
 * @param decision the decision over all rules that were decided together; null if the rule was skipped,
 *     or would have denied the address
 * @param waited how long the request waited for this rule before it was decided; zero if it did not wait
 */
public record RateLimitEvent(
        String rule,
        String resource,
        Outcome outcome,
        @Nullable Decision decision,
        Duration waited) {}
