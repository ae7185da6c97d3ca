package dev.limiter.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A breaker opens after failures in a row, and closes after probes that succeed. */
class CircuitBreakerTests {

    private static final long MILLI = 1_000_000;

    private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - 100 * MILLI);
    private final CircuitBreaker breaker = new CircuitBreaker(Duration.ofMillis(500), time::get);

    /** Fails a call after {@code millis}; returns whether it opened the breaker. */
    private boolean failAfter(long millis) {
        long begun = time.getAndAdd(millis * MILLI);
        return fail(begun);
    }

    /** Fails a call now; returns whether it opened the breaker. */
    private boolean fail(long begun) {
        return breaker.failed(begun) && breaker.open();
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
    void simultaneousFailuresCountOnce() {
        long begun = time.get();
        time.addAndGet(60 * MILLI);
        for (int i = 0; i < 1000; i++) {
            assertThat(fail(begun + i * 1000)).isFalse();
        }
        assertThat(breaker.isOpen()).isFalse();
        assertThat(fail(time.get())).isTrue();
    }

    @Test
    void aSuccessInBetweenResetsTheCount() {
        for (int i = 0; i < 4; i++) {
            failAfter(50);
        }
        breaker.succeeded();
        for (int i = 0; i < 4; i++) {
            assertThat(failAfter(50)).isFalse();
        }
        assertThat(failAfter(50)).isTrue();
    }

    private void open() {
        for (int i = 0; i < 5; i++) {
            failAfter(1);
        }
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void oneCallerProbesPerInterval() {
        assertThat(breaker.probeIsDue()).isFalse();
        open();
        assertThat(breaker.probeIsDue()).isFalse();
        time.addAndGet(500 * MILLI);
        assertThat(breaker.probeIsDue()).isTrue();
        assertThat(breaker.probeIsDue()).isFalse();
        time.addAndGet(500 * MILLI);
        assertThat(breaker.probeIsDue()).isTrue();
    }

    @Test
    void severalProbesInARowCloseIt() {
        open();
        assertThat(breaker.probeSucceeded()).isFalse();
        assertThat(breaker.probeSucceeded()).isFalse();
        breaker.probeFailed();
        assertThat(breaker.probeSucceeded()).isFalse();
        assertThat(breaker.probeSucceeded()).isFalse();
        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.probeSucceeded()).isTrue();
        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.probeSucceeded()).isFalse();
        time.addAndGet(500 * MILLI);
        assertThat(breaker.probeIsDue()).isFalse();
    }

    @Test
    void aReplyToACallDoesNotCloseIt() {
        open();
        breaker.succeeded();
        assertThat(breaker.isOpen()).isTrue();
    }

    /** Returns the milliseconds until a probe is due. */
    private long untilProbe() {
        long millis = 0;
        for (; !breaker.probeIsDue(); millis += 100) {
            time.addAndGet(100 * MILLI);
        }
        return millis;
    }

    /** Returns how many probes in a row close the breaker. */
    private int closedAfter() {
        int probes = 1;
        while (!breaker.probeSucceeded()) {
            probes++;
        }
        assertThat(breaker.isOpen()).isFalse();
        return probes;
    }

    @Test
    void aBreakerThatOpensAgainSoonNeedsMoreProbes() {
        for (int probes : new int[] {3, 6, 12, 24, 24}) {
            open();
            assertThat(untilProbe()).isEqualTo(500);
            assertThat(closedAfter()).isEqualTo(probes);
        }
        time.addAndGet(10_000 * MILLI);
        open();
        assertThat(closedAfter()).isEqualTo(3);
    }

    /** A node that works only for probes. */
    @Test
    void opensAtMostFortyTimesPerMinute() {
        int opened = 0;
        long end = time.get() + 600_000 * MILLI;
        while (time.get() - end < 0) {
            while (!breaker.isOpen()) {
                fail(time.get());
            }
            opened++;
            untilProbe();
            while (!breaker.probeSucceeded()) {
                time.addAndGet(50 * MILLI);
            }
        }
        assertThat(opened).isLessThanOrEqualTo(10 * 40);
    }
}
