package dev.limiter.test;

import static dev.limiter.test.LimiterAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiters;
import dev.limiter.Rule;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each assertion about a decision passes for the right one and fails for a wrong one. */
class DecisionAssertTests {

    private static final Rule RULE = Rule.of(
            "orders",
            Limit.tokenBucket(2, Duration.ofSeconds(1)),
            Limit.fixedWindow(5, Duration.ofHours(1)).named("hourly"));

    private final VirtualTimeSource time = new VirtualTimeSource();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();

    @Test
    void permitted() {
        Decision decision = limiters.tryAcquire(RULE, "alice");

        assertThat(decision)
                .isPermitted()
                .hasNoRetryAfter()
                .hasRemaining(1)
                .hasRemaining("orders", 1)
                .hasRemaining("orders-hourly", 4)
                .hasResetAfter(Duration.ofMillis(500));
        fails(() -> assertThat(decision).isRejected());
        fails(() -> assertThat(decision).canNeverBePermitted());
        fails(() -> assertThat(decision).isRejectedBy("orders"));
        fails(() -> assertThat(decision).hasRetryAfter(Duration.ofMillis(500)));
        fails(() -> assertThat(decision).hasRemaining(2));
        fails(() -> assertThat(decision).hasRemaining("orders-hourly", 5));
        fails(() -> assertThat(decision).hasRemaining("orders-daily", 5));
        fails(() -> assertThat(decision).hasResetAfter(Duration.ofSeconds(1)));
    }

    @Test
    void temporaryRejection() {
        limiters.tryAcquire(RULE, "alice", 2);
        Decision decision = limiters.tryAcquire(RULE, "alice");

        assertThat(decision)
                .isRejected()
                .isRejectedBy("orders")
                .hasRetryAfter(Duration.ofMillis(500))
                .hasRemaining(0);
        fails(() -> assertThat(decision).isPermitted());
        fails(() -> assertThat(decision).canNeverBePermitted());
        fails(() -> assertThat(decision).isRejectedBy("orders-hourly"));
        fails(() -> assertThat(decision).hasNoRetryAfter());
        fails(() -> assertThat(decision).hasRetryAfter(Duration.ofMillis(501)));
    }

    @Test
    void permanentRejection() {
        assertThat(limiters.tryAcquire(RULE, "alice", 3)).canNeverBePermitted().hasNoRetryAfter();
    }

    private static void fails(ThrowingCallable assertion) {
        assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContaining("orders-hourly");
    }
}
