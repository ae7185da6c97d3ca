package dev.limiter.readme;

import static dev.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Limit;
import dev.limiter.RateLimiterFactory;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The algorithm of one's own in the manual works. */
class BusinessDayTests {

    private final AtomicLong now = new AtomicLong(Duration.parse("P20000DT5H").toNanos()); // 05:00
    private final Rule daily = Rule.of("daily", Limit.fixedWindow(5, Duration.ofDays(1)));

    @Test
    void dayBeginsAtSix() {
        RateLimiterFactory algorithms = new RateLimiterFactory(List.of(new BusinessDayStrategy()));
        try (RateLimiters limiters = new RateLimiters(new InMemoryRateLimiterStorage(algorithms, now::get, 10))) {
            assertThat(limiters.tryAcquire(daily, "ann", 5)).isPermitted().hasRemaining(0);
            assertThat(limiters.tryAcquire(daily, "ann")).isRejected().hasRetryAfter(Duration.ofHours(1));
            now.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(limiters.tryAcquire(daily, "ann")).isPermitted().hasRemaining(4);
        }
    }
}
