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

/** Where the windows of a calendar limit begin: Lua knows no calendar, so those around now are sent along. */
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

    /**
     * Five moments: the beginnings of the last window, of this one, and of the three after it, as scripts unpack them.
     */
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

    /** The length of the window that ends at a moment, as scripts unpack it. */
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
