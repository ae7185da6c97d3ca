package dev.limiter.spring.actuate.endpoint;

import dev.limiter.spring.compile.DurationParser;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;

/** The end of an override, as an operator writes it. */
final class OverrideEndParser {

    /** A longer override belongs into the configuration. */
    private static final int LONGEST_DAYS = 366;

    private OverrideEndParser() {}

    /**
     * @param until an instant in ISO-8601, or a duration from now, up to {@value #LONGEST_DAYS} days
     * @throws IllegalArgumentException if it is neither, or in the past
     */
    static Instant of(String until, Instant now) {
        Instant end;
        try {
            end = OffsetDateTime.parse(until).toInstant();
        } catch (DateTimeException noInstant) {
            end = afterNow(now, until);
        }
        if (!end.isAfter(now) || end.isAfter(now.plus(LONGEST_DAYS, ChronoUnit.DAYS))) {
            throw new IllegalArgumentException(
                    "until is \"" + until + "\", but must be within " + LONGEST_DAYS + " days from now.");
        }
        return end;
    }

    private static Instant afterNow(Instant now, String until) {
        try {
            return now.plus(DurationParser.parse(until));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException wrong) {
            throw new IllegalArgumentException(
                    "until is \"" + until
                            + "\", but must be a time such as 2026-12-01T08:00:00Z, or a duration such as 2h.",
                    wrong);
        }
    }
}
