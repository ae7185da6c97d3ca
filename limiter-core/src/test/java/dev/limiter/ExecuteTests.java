package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Work runs only with a permit, which is released when the work is done. */
class ExecuteTests {

    private final Rule daily = Rule.of("daily", Limit.fixedWindow(1, Duration.ofDays(1)));
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final RateLimiters limiters = RateLimiters.builder().build();
    private final AtomicBoolean ran = new AtomicBoolean();

    @Test
    void returnsTheResultOfPermittedWork() {
        String result = limiters.execute(daily, "alice", () -> "done");

        assertThat(result).isEqualTo("done");
    }

    @Test
    void rejectedWorkDoesNotRun() {
        limiters.tryAcquire(daily, "alice");

        assertThatExceptionOfType(RateLimitExceededException.class)
                .isThrownBy(() -> limiters.execute(daily, "alice", () -> ran.set(true)))
                .satisfies(rejection -> assertThat(rejection.decision().rule()).isSameAs(daily));
        assertThat(ran).isFalse();
    }

    @Test
    void holdsAPermitUntilTheWorkIsDone() {
        limiters.execute(
                pool, "alice", () -> ran.set(limiters.tryAcquire(pool, "alice").permitted()));

        assertThat(ran).isFalse();
        assertThat(limiters.peek(pool, "alice").permitted()).isTrue();
    }

    @Test
    void releasesThePermitOfFailedWork() {
        Runnable failing = () -> {
            throw new IllegalStateException("failed");
        };

        assertThatThrownBy(() -> limiters.execute(pool, "alice", failing)).hasMessage("failed");
        assertThat(limiters.peek(pool, "alice").permitted()).isTrue();
    }
}
