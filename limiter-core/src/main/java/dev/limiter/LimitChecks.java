package dev.limiter;

import dev.limiter.spi.OutOfRangeException;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Period;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/** Validates the values of limits, rules and charges. Messages name the value and the range. */
final class LimitChecks {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");

    private static final Set<Period> CALENDAR_PERIODS = Set.of(Period.ofDays(1), Period.ofDays(7), Period.ofMonths(1));

    private static final Duration MAX_WARM_UP = Duration.ofDays(30);

    private LimitChecks() {}

    /** Throws a {@link NullPointerException} that names the parameter if one is null. */
    static void notNull(Rule rule, String key) {
        Objects.requireNonNull(rule, "rule must not be null");
        Objects.requireNonNull(key, "key must not be null");
    }

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

    /** Bounds the warm-up, so that twice its length and every interval of a cold bucket fit into a long. */
    static void warmUp(long limit, long burst, Duration warmUp) {
        if (warmUp.isNegative() || warmUp.compareTo(MAX_WARM_UP) > 0) {
            throw new OutOfRangeException(
                    "warmUp", warmUp.toString(), "from zero to " + MAX_WARM_UP.toDays() + " days");
        }
        if (!warmUp.isZero() && burst != limit) {
            throw new IllegalArgumentException(
                    "burst is " + burst + ", but a bucket with a warm-up has no burst of its own");
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
        Objects.requireNonNull(window, "window must not be null");
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
                    + "\", but must consist of letters, digits, '-' and '_', and start with a letter or digit");
        }
    }

    static void waiting(Rule rule, Duration maxWait, int maxWaiting) {
        Objects.requireNonNull(maxWait, "maxWait must not be null");
        if (maxWaiting < 0 || maxWait.isNegative()) {
            throw new IllegalArgumentException("maxWait is " + maxWait + " and maxWaiting " + maxWaiting
                    + " for rule \"" + rule.name() + "\", but neither may be negative");
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
