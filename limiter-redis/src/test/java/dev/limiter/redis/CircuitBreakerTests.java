package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CircuitBreakerTests {

    private static final long MILLI = 1_000_000;

    private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 100 * MILLI);
    private final CircuitBreaker breaker = new CircuitBreaker(Duration.ofMillis(500), time::get);

    /** A call that takes so long to fail; whether it opened the circuit. */
    private boolean failAfter(long millis) {
        long begun = time.getAndAdd(millis * MILLI);
        return breaker.failed(begun);
    }

    @Test
    void opensAfterFiveFailuresOneAfterTheOther() {
        for (int i = 1; i <= 4; i++) {
            assertThat(failAfter(50)).isFalse();
            assertThat(breaker.isOpen()).isFalse();
        }
        assertThat(failAfter(50)).isTrue();
        assertThat(breaker.isOpen()).isTrue();
        assertThat(failAfter(50)).isFalse();
    }

    @Test
    void callsThatStoodStillTogetherAreOneFailure() {
        long begun = time.get();
        time.addAndGet(60 * MILLI);
        for (int i = 0; i < 1000; i++) {
            assertThat(breaker.failed(begun + i * 1000)).isFalse();
        }
        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.failed(time.get())).isTrue();
    }

    @Test
    void aSuccessInBetweenStartsAnew() {
        for (int i = 0; i < 4; i++) {
            failAfter(50);
        }
        assertThat(breaker.succeeded()).isFalse();
        for (int i = 0; i < 4; i++) {
            assertThat(failAfter(50)).isFalse();
        }
        assertThat(failAfter(50)).isTrue();
    }

    @Test
    void oneCallerProbesEveryNowAndThen() {
        assertThat(breaker.probeIsDue()).isFalse();
        for (int i = 0; i < 5; i++) {
            failAfter(1);
        }
        assertThat(breaker.probeIsDue()).isFalse();
        time.addAndGet(500 * MILLI);
        assertThat(breaker.probeIsDue()).isTrue();
        assertThat(breaker.probeIsDue()).isFalse();
        time.addAndGet(500 * MILLI);
        assertThat(breaker.probeIsDue()).isTrue();
        assertThat(breaker.succeeded()).isTrue();
        assertThat(breaker.succeeded()).isFalse();
        assertThat(breaker.isOpen()).isFalse();
        time.addAndGet(500 * MILLI);
        assertThat(breaker.probeIsDue()).isFalse();
    }
}
