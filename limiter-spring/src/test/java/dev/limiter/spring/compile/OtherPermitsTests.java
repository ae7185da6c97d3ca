package dev.limiter.spring.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.limiter.Limit;
import dev.limiter.spi.OutOfRangeException;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A limit with another number of permits keeps its other options, except for a burst. */
class OtherPermitsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    static Stream<Arguments> limits() {
        return Stream.of(
                arguments(Limit.tokenBucket(10, MINUTE).burst(50), Limit.tokenBucket(20, MINUTE)),
                arguments(
                        Limit.tokenBucket(10, MINUTE).warmUp(SECOND),
                        Limit.tokenBucket(20, MINUTE).warmUp(SECOND)),
                arguments(Limit.leakyBucket(10, MINUTE).burst(50), Limit.leakyBucket(20, MINUTE)),
                // 20 leave within the wait of a second, and one at once
                arguments(
                        Limit.leakyBucket(10, SECOND).burst(5).paced().warmUp(SECOND),
                        Limit.leakyBucket(20, SECOND).burst(21).paced().warmUp(SECOND)),
                arguments(Limit.fixedWindow(10, MINUTE), Limit.fixedWindow(20, MINUTE)),
                arguments(
                        Limit.fixedWindow(10, MINUTE).alignFirst(),
                        Limit.fixedWindow(20, MINUTE).alignFirst()),
                arguments(
                        Limit.calendarWindow(10, Period.ofMonths(1), BERLIN),
                        Limit.calendarWindow(20, Period.ofMonths(1), BERLIN)),
                arguments(
                        Limit.slidingWindowCounter(10, MINUTE).buckets(6),
                        Limit.slidingWindowCounter(20, MINUTE).buckets(6)),
                arguments(
                        Limit.slidingWindowLog(10, MINUTE).named("short"),
                        Limit.slidingWindowLog(20, MINUTE).named("short")),
                arguments(Limit.concurrency(10), Limit.concurrency(20)));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void keepTheOtherOptions(Limit limit, Limit expected) {
        assertThat(OtherPermits.of(limit, 20, SECOND)).isEqualTo(expected);
    }

    @Test
    void areInTheRangeOfALimit() {
        assertThatThrownBy(() -> OtherPermits.of(Limit.concurrency(10), 0, SECOND))
                .isInstanceOf(OutOfRangeException.class)
                .hasMessage("limit is 0, but must be from 1 to 1000000000000000");
    }
}
