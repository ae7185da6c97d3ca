package dev.limiter.algorithm;

import dev.limiter.Limit;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * Windows of one day, week (from Monday) or month in a time zone. A day with a clock change has 23 or 25 hours. The
 * last window is cached, so the calendar is consulted about once per window.
 */
final class CalendarWindow extends FixedWindow {

    private final Period period;
    private final ZoneId zone;
    private final LocalDate origin;
    private volatile Current current;

    CalendarWindow(Limit.CalendarWindow limit, long now) {
        super(limit, shortest(limit.period()), now);
        this.period = limit.period();
        this.zone = limit.zone();
        this.origin = firstDay(date(now));
        this.current = window(0);
    }

    @Override
    long number(long now) {
        Current last = current;
        if (now >= last.start && now < last.end) {
            return last.number;
        }
        Current found = window(number(firstDay(date(now))));
        current = found;
        return found.number;
    }

    @Override
    long start(long number) {
        Instant start = origin.plus(period.multipliedBy(Math.toIntExact(number)))
                .atStartOfDay(zone)
                .toInstant();
        return start.getEpochSecond() * 1_000_000_000L + start.getNano();
    }

    @Override
    boolean sameWindows(FixedWindow other) {
        return other instanceof CalendarWindow that && that.period.equals(period) && that.zone.equals(zone);
    }

    private static long shortest(Period period) {
        return Duration.ofDays(period.getMonths() > 0 ? 27 : period.getDays())
                .minusHours(3)
                .toNanos();
    }

    private Current window(long number) {
        return new Current(number, start(number), start(number + 1));
    }

    private long number(LocalDate firstDay) {
        return period.getMonths() > 0
                ? ChronoUnit.MONTHS.between(origin, firstDay)
                : ChronoUnit.DAYS.between(origin, firstDay) / period.getDays();
    }

    private LocalDate firstDay(LocalDate date) {
        if (period.getMonths() > 0) {
            return date.withDayOfMonth(1);
        }
        return period.getDays() == 7 ? date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)) : date;
    }

    private LocalDate date(long now) {
        return LocalDate.ofInstant(Instant.ofEpochSecond(0, now), zone);
    }

    private record Current(long number, long start, long end) {}
}
