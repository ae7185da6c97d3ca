package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The measured latency is the minimum of the last half minute. */
class RecentMinimumTests {

    private static final long MILLI = Duration.ofMillis(1).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final RecentMinimum line = new RecentMinimum(0);

    @Test
    void isUnknownAtFirst() {
        assertThat(line.nanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void isTheMinimumWithoutQueueTime() {
        line.measured(MILLI, 0);
        for (int i = 1; i < 30_000; i++) {
            line.measured(50 * MILLI, i * MILLI);
        }
        assertThat(line.nanos()).isEqualTo(MILLI);
    }

    @Test
    void increasesWhenTheLatencyGrows() {
        line.measured(MILLI, 0);
        line.measured(200 * MILLI, 31 * SECOND);
        assertThat(line.nanos()).isEqualTo(MILLI);
        line.measured(200 * MILLI, 62 * SECOND);
        assertThat(line.nanos()).isEqualTo(200 * MILLI);
    }

    @Test
    void decreasesAtOnceWhenTheLatencyShrinks() {
        line.measured(200 * MILLI, 0);
        line.measured(MILLI, MILLI);
        assertThat(line.nanos()).isEqualTo(MILLI);
    }
}
