package dev.limiter.spring.compile;

import java.time.Period;
import java.time.format.DateTimeParseException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the windows that follow the calendar: a day, a week or a month, as short as {@code 1mo} or ISO-8601. */
final class CalendarPeriod {

    private static final Period MONTH = Period.ofMonths(1);
    private static final Set<Period> ALLOWED = Set.of(Period.ofDays(1), Period.ofDays(7), MONTH);

    private CalendarPeriod() {}

    /**
     * @throws IllegalArgumentException that says what would be right
     */
    static Period parse(String text) {
        Period period = period(text.strip());
        if (period == null || !ALLOWED.contains(period)) {
            throw new IllegalArgumentException("With align: calendar, a window must be 1d, 7d or 1mo (or P1D, P7D, P1W,"
                    + " P1M): hours and several months are none of the calendar's own");
        }
        return period;
    }

    /** Whether it is a month, which has a length only in the calendar. */
    static boolean isMonth(String text) {
        return MONTH.equals(period(text.strip()));
    }

    private static @Nullable Period period(String text) {
        return switch (text) {
            case "1d" -> Period.ofDays(1);
            case "7d" -> Period.ofDays(7);
            case "1mo" -> MONTH;
            default -> iso(text);
        };
    }

    private static @Nullable Period iso(String text) {
        try {
            return Period.parse(text);
        } catch (DateTimeParseException notAPeriod) {
            return null;
        }
    }
}
