package dev.limiter;

import static dev.limiter.VirtualTime.STEP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calendar windows start with the day, week or month of their zone, also when clocks change. */
class CalendarWindowTests {

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private final AtomicLong now = new AtomicLong();
    private final RateLimiters limiters = TestedStorage.limiters(now::get);

    /**
     * The time of use, and when those permits are available again, also for a window that starts at the second time.
     */
    @ParameterizedTest
    @CsvSource({
        // an ordinary day, 23 hours when summer time starts, 25 hours when it ends
        "P1D, 2026-11-21T10:30:00, 2026-11-22T00:00:00",
        "P1D, 2026-03-29T00:00:00, 2026-03-30T00:00:00",
        "P1D, 2026-10-25T00:00:00, 2026-10-26T00:00:00",
        // a week from Monday, across the end of summer time and of the year
        "P7D, 2026-11-21T10:30:00, 2026-11-23T00:00:00",
        "P7D, 2026-11-23T00:00:00, 2026-11-30T00:00:00",
        "P7D, 2026-10-24T12:00:00, 2026-10-26T00:00:00",
        "P7D, 2026-12-31T12:00:00, 2027-01-04T00:00:00",
        // months of 31, 30, 28 and 29 days
        "P1M, 2026-01-31T23:59:59, 2026-02-01T00:00:00",
        "P1M, 2026-04-01T00:00:00, 2026-05-01T00:00:00",
        "P1M, 2026-02-10T00:00:00, 2026-03-01T00:00:00",
        "P1M, 2028-02-10T00:00:00, 2028-03-01T00:00:00",
        "P1M, 2026-12-05T00:00:00, 2027-01-01T00:00:00",
    })
    void startsWithTheCalendarPeriod(Period period, LocalDateTime from, LocalDateTime next) {
        long start = nanos(from.atZone(BERLIN));
        long end = nanos(next.atZone(BERLIN));
        Rule rule = Rule.of("calendar", Limit.calendarWindow(2, period, BERLIN));
        now.set(start);

        assertThat(limiters.tryAcquire(rule, "k", 2).permitted()).isTrue();
        assertThat(limiters.tryAcquire(rule, "k").retryAfter()).contains(Duration.ofNanos(end - start));
        now.set(end - STEP);
        assertThat(limiters.tryAcquire(rule, "k").permitted()).isFalse();
        now.set(end);
        assertThat(limiters.tryAcquire(rule, "k", 2).permitted()).isTrue();
        assertThat(limiters.tryAcquire(rule, "k").permitted()).isFalse();
    }

    @Test
    void aDayWithoutMidnightStartsWithItsFirstMoment() {
        // in Beirut, summer time starts at midnight: the day begins at 01:00
        ZoneId beirut = ZoneId.of("Asia/Beirut");
        long firstMoment = nanos(LocalDateTime.parse("2026-03-29T01:00:00").atZone(beirut));
        Rule rule = Rule.of("calendar", Limit.calendarWindow(1, Period.ofDays(1), beirut));
        now.set(firstMoment - STEP);

        assertThat(limiters.tryAcquire(rule, "k").permitted()).isTrue();
        assertThat(limiters.tryAcquire(rule, "k").permitted()).isFalse();
        now.set(firstMoment);
        assertThat(limiters.tryAcquire(rule, "k").permitted()).isTrue();
    }

    @Test
    void changingTheLimitKeepsTheWindow() {
        now.set(nanos(LocalDateTime.parse("2026-11-21T10:00:00").atZone(BERLIN)));
        limiters.tryAcquire(Rule.of("calendar", Limit.calendarWindow(100, Period.ofMonths(1), BERLIN)), "k", 100);

        Rule raised = Rule.of("calendar", Limit.calendarWindow(1000, Period.ofMonths(1), BERLIN));
        assertThat(limiters.peek(raised, "k").remaining()).isEqualTo(900);
        now.set(nanos(LocalDateTime.parse("2026-12-01T00:00:00").atZone(BERLIN)));
        assertThat(limiters.peek(raised, "k").remaining()).isEqualTo(1000);
    }

    @ParameterizedTest
    @CsvSource({"P2D", "P14D", "P3M", "P1Y", "P0D"})
    void rejectsOtherPeriods(Period period) {
        assertThatThrownBy(() -> Limit.calendarWindow(1, period, BERLIN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(period.toString())
                .hasMessageContaining("one day, seven days or one month");
    }

    private static long nanos(ZonedDateTime time) {
        return time.toEpochSecond() * 1_000_000_000L;
    }
}
