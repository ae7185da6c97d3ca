package dev.limiter.redis.script;

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
        LocalDate today = LocalDate.ofInstant(Instant.EPOCH.plus(nowMicros, ChronoUnit.MICROS), zone);
        LocalDate first = first(today, period).minus(period);
        Arguments bounds = new Arguments(5 * Double.BYTES);
        for (int i = 0; i < 5; i++) {
            Instant start =
                    first.plus(period.multipliedBy(i)).atStartOfDay(zone).toInstant();
            bounds.number(ChronoUnit.MICROS.between(Instant.EPOCH, start));
        }
        return bounds.toArray();
    }

    private static LocalDate first(LocalDate date, Period period) {
        if (period.getMonths() > 0) {
            return date.withDayOfMonth(1);
        }
        return period.getDays() == 7 ? date.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)) : date;
    }
}
