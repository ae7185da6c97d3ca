package dev.limiter;

import dev.limiter.spi.OutOfRangeException;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Period;
import java.util.Set;
import java.util.regex.Pattern;

/** The ranges that limits, rules and charges must keep to, with messages that name the value and the range. */
final class LimitChecks {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");

    private static final Set<Period> CALENDAR_PERIODS = Set.of(Period.ofDays(1), Period.ofDays(7), Period.ofMonths(1));

    private static final Duration MAX_WARM_UP = Duration.ofDays(30);

    private LimitChecks() {}

    static void bucket(String name, long limit, Duration window, long burst) {
        window(name, limit, window);
        range("burst", burst, 1, Limit.MAX_PERMITS);
        BigInteger refill = BigInteger.valueOf(window.toNanos())
                .multiply(BigInteger.valueOf(burst))
                .divide(BigInteger.valueOf(limit));
        if (refill.compareTo(BigInteger.valueOf(Limit.MAX_WINDOW.toNanos())) > 0) {
            throw new IllegalArgumentException("burst is " + burst + ", but a bucket of that size would take more than "
                    + Limit.MAX_WINDOW.toDays() + " days to refill at " + limit + " per " + window);
        }
    }

    /** Twice the warm-up and every interval of a cold bucket have to fit the arithmetic. */
    static void warmUp(long limit, long burst, Duration warmUp) {
        if (warmUp.isNegative() || warmUp.compareTo(MAX_WARM_UP) > 0) {
            throw new OutOfRangeException(
                    "warmUp", warmUp.toString(), "from zero to " + MAX_WARM_UP.toDays() + " days");
        }
        if (!warmUp.isZero() && burst != limit) {
            throw new IllegalArgumentException("burst is " + burst
                    + ", but a bucket that warms up lets requests go evenly and has no burst of its own");
        }
    }

    static void limit(String name, long limit) {
        if (!name.isEmpty()) {
            name("name of a limit", name);
        }
        range("limit", limit, 1, Limit.MAX_PERMITS);
    }

    static void window(String name, long limit, Duration window) {
        limit(name, limit);
        if (window.isNegative() || window.isZero() || window.compareTo(Limit.MAX_WINDOW) > 0) {
            throw new OutOfRangeException(
                    "window", window.toString(), "longer than zero and at most " + Limit.MAX_WINDOW.toDays() + " days");
        }
    }

    static void calendar(Period period) {
        if (!CALENDAR_PERIODS.contains(period)) {
            throw new IllegalArgumentException(
                    "period is " + period + ", but a calendar window must be one day, seven days or one month");
        }
    }

    static void name(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("The " + what + " is \"" + name
                    + "\", but must be letters, digits, '-' and '_', starting with a letter or digit");
        }
    }

    static void waiting(Rule rule, Duration maxWait, int maxWaiting) {
        if (maxWaiting < 0 || maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait is " + maxWait + " and maxWaiting " + maxWaiting
                    + " for rule \"" + rule.name() + "\", but none may be negative");
        }
    }

    static void permits(Rule rule, long permits) {
        if (permits < 0) {
            throw new IllegalArgumentException(
                    "permits is " + permits + " for rule \"" + rule.name() + "\", but must be 0 or more");
        }
    }

    static void range(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new OutOfRangeException(what, Long.toString(value), "from " + min + " to " + max);
        }
    }
}
