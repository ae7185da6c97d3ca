package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** An application can use a {@link Clock} as its time source. */
class TimeSourceTests {

    @Test
    void isTheTimeOfAClockInNanoseconds() {
        Clock clock = Clock.fixed(Instant.ofEpochSecond(1_800_000_000L, 123_456_789), ZoneOffset.UTC);

        assertThat(TimeSource.of(clock).epochNanos()).isEqualTo(1_800_000_000_123_456_789L);
    }
}
