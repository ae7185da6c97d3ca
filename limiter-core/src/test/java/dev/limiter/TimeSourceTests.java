package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TimeSourceTests {

    @Test
    void isTheTimeOfAClockInNanoseconds() {
        Clock clock = Clock.fixed(Instant.ofEpochSecond(1_800_000_000L, 123_456_789), ZoneOffset.UTC);

        assertThat(TimeSource.of(clock).epochNanos()).isEqualTo(1_800_000_000_123_456_789L);
    }

    @Test
    void clockThatStepsBackGrantsNoPermits() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-28T12:00:00Z"));
        InstantSource moved = now::get;
        Clock clock = moved.withZone(ZoneOffset.UTC);
        Rule rule = Rule.of("rule", Limit.tokenBucket(1, Duration.ofSeconds(10)));
        try (RateLimiters limiters =
                RateLimiters.builder().timeSource(TimeSource.of(clock)).build()) {
            limiters.tryAcquire(rule, "alice");

            now.set(now.get().minusSeconds(3));
            assertThat(limiters.tryAcquire(rule, "alice").permitted()).isFalse();

            now.set(now.get().plusSeconds(10));
            assertThat(limiters.tryAcquire(rule, "alice").permitted()).isTrue();
        }
    }
}
