package dev.limiter.redis;

import dev.limiter.Limit;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import org.jspecify.annotations.Nullable;

/**
 * The boundaries of calendar windows. Lua has no calendar, so those around the current time are passed as arguments.
 */
final class CalendarBounds {

    /** The bounds of a limit without a calendar. */
    static final CalendarBounds NONE = new CalendarBounds(null, null);

    private static final byte[] NOTHING = {};

    private final @Nullable Period period;
    private final @Nullable ZoneId zone;

    private CalendarBounds(@Nullable Period period, @Nullable ZoneId zone) {
        this.period = period;
        this.zone = zone;
    }

    static CalendarBounds of(Limit.CalendarWindow limit) {
        return new CalendarBounds(limit.period(), limit.zone());
    }

    /** Returns the starts of five windows (the previous, the current and the next three), packed for scripts. */
    byte[] around(long nowMicros) {
        if (period == null || zone == null) {
            return NOTHING;
        }
        LocalDate first = first(date(nowMicros, zone), period).minus(period);
        Arguments bounds = new Arguments(5 * Double.BYTES);
        for (int i = 0; i < 5; i++) {
            bounds.number(micros(first.plus(period.multipliedBy(i)), zone));
        }
        return bounds.toArray();
    }

    /** Returns the length of the window that ends at {@code endMicros}, packed for scripts. */
    byte[] lengthUntil(long endMicros) {
        if (period == null || zone == null) {
            return NOTHING;
        }
        LocalDate first = first(date(endMicros - 1, zone), period);
        return new Arguments(Double.BYTES)
                .number(endMicros - micros(first, zone))
                .toArray();
    }

    private static LocalDate date(long micros, ZoneId zone) {
        return LocalDate.ofInstant(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), zone);
    }

    private static long micros(LocalDate date, ZoneId zone) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, date.atStartOfDay(zone).toInstant());
    }

    private static LocalDate first(LocalDate date, Period period) {
        if (period.getMonths() > 0) {
            return date.withDayOfMonth(1);
        }
        return period.getDays() == 7 ? date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)) : date;
    }
}
