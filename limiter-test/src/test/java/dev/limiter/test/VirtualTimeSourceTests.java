package dev.limiter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Virtual time starts at the beginning of a week, a month and a year, and only moves forward. */
class VirtualTimeSourceTests {

    private final VirtualTimeSource time = new VirtualTimeSource();

    @Test
    void standsStillAtTheBeginningOfAWeekAMonthAndAYear() {
        ZonedDateTime start = time.now().atZone(ZoneOffset.UTC);

        assertThat(start).isEqualTo(ZonedDateTime.of(2029, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC));
        assertThat(start.getDayOfWeek()).isEqualTo(DayOfWeek.MONDAY);
        assertThat(time.epochNanos()).isEqualTo(start.toEpochSecond() * 1_000_000_000);
    }

    @Test
    void movesOnByADurationAndToAMoment() {
        time.advance(Duration.ofNanos(1));
        assertThat(time.now()).isEqualTo(VirtualTimeSource.START.plusNanos(1));

        Instant noon = Instant.parse("2029-02-03T12:00:00Z");
        time.advanceTo(noon);
        assertThat(time.now()).isEqualTo(noon);
        assertThat(time).hasToString("VirtualTimeSource[2029-02-03T12:00:00Z]");
    }

    @Test
    void doesNotGoBack() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> time.advance(Duration.ofNanos(-1)))
                .withMessageContaining("PT-0.000000001S");
        assertThatIllegalArgumentException().isThrownBy(() -> time.advanceTo(Instant.EPOCH));
        assertThat(time.now()).isEqualTo(VirtualTimeSource.START);
    }

    @Test
    void isMovedBySeveralThreads() {
        IntStream.range(0, 10_000).parallel().forEach(i -> time.advance(Duration.ofNanos(1)));

        assertThat(time.now()).isEqualTo(VirtualTimeSource.START.plusNanos(10_000));
    }

    @Test
    void startsOver() {
        time.advance(Duration.ofDays(1));
        time.startOver();

        assertThat(time.now()).isEqualTo(VirtualTimeSource.START);
    }
}
