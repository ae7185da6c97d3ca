package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.failure.LimiterConfigurationException;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problem;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The unit in which the storage counts time. Durations must be multiples of it, or they would be rounded.
 *
 * @param nanos the nanoseconds of a step: 1 in memory, 1000 in Redis
 * @param mostLogged the most permits that a log may remember; in Redis each one uses memory of a shared server
 */
public record TimeSteps(int nanos, long mostLogged) {

    public static final TimeSteps NANOSECONDS = new TimeSteps(1, Limit.MAX_PERMITS);
    public static final TimeSteps MICROSECONDS = new TimeSteps(1000, 10_000);

    /**
     * Returns the duration of a setting.
     *
     * @throws LimiterConfigurationException if it is not a duration, or not a whole number of steps
     */
    Duration duration(Setting<String> setting) {
        Duration duration = DurationParser.parse(setting);
        if (duration.toNanosPart() % nanos != 0) {
            throw new LimiterConfigurationException(new Problem(
                    MessageCode.TIME_STEP,
                    setting.where(),
                    setting.value(),
                    "With limiter.storage: redis, it must be a whole number of microseconds, such as 1us or 500ms."));
        }
        return duration;
    }

    /** Checks the number of permits in a log. */
    void checkLogged(Setting<Long> setting, Problems problems) {
        if (setting.value() > mostLogged) {
            problems.add(
                    MessageCode.LARGE_LOG,
                    setting.where(),
                    setting.value(),
                    "With limiter.storage: redis, a log remembers at most " + mostLogged + " permits. Lower the"
                            + " number, or use algorithm: sliding-window-counter.");
        }
    }

    /** Checks the number of permits that a compiled limit remembers; {@code where}: the origin of the limit. */
    void checkLogged(Limit limit, String where, Problems problems) {
        if (limit instanceof Limit.SlidingWindowLog) {
            checkLogged(new Setting<>(limit.limit(), where), problems);
        }
    }

    /** Checks that a window has at least one step for each bucket. */
    void checkParts(@Nullable Setting<String> window, Duration length, int parts, Problems problems) {
        if (window != null && !length.isZero() && length.compareTo(Duration.ofNanos((long) nanos * parts)) < 0) {
            problems.add(
                    MessageCode.OUT_OF_RANGE,
                    window.where(),
                    window.value(),
                    "The window is too short for " + parts + " buckets. Use a longer window, or fewer buckets.");
        }
    }
}
