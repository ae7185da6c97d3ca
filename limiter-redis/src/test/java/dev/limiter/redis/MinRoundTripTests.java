package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class MinRoundTripTests {

    private static final long MILLI = Duration.ofMillis(1).toNanos();
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final MinRoundTrip line = new MinRoundTrip(0);

    @Test
    void isUnknownAtFirst() {
        assertThat(line.nanos()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void isTheLeastAndNotWhatAQueueAdds() {
        line.took(MILLI, 0);
        for (int i = 1; i < 30_000; i++) {
            line.took(50 * MILLI, i * MILLI);
        }
        assertThat(line.nanos()).isEqualTo(MILLI);
    }

    @Test
    void learnsThatTheLineHasBecomeLonger() {
        line.took(MILLI, 0);
        line.took(200 * MILLI, 31 * SECOND);
        assertThat(line.nanos()).isEqualTo(MILLI);
        line.took(200 * MILLI, 62 * SECOND);
        assertThat(line.nanos()).isEqualTo(200 * MILLI);
    }

    @Test
    void learnsAtOnceThatItHasBecomeShorter() {
        line.took(200 * MILLI, 0);
        line.took(MILLI, MILLI);
        assertThat(line.nanos()).isEqualTo(MILLI);
    }
}
