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
 * The steps of time in which the storage counts. A duration must be a whole number of them, or it would be rounded.
 *
 * @param nanos of a step of time: 1 in memory, 1000 in Redis
 * @param mostLogged the most permits that a log may remember: in Redis each costs memory of a shared server
 */
public record TimeSteps(int nanos, long mostLogged) {

    public static final TimeSteps NANOSECONDS = new TimeSteps(1, Limit.MAX_PERMITS);
    public static final TimeSteps MICROSECONDS = new TimeSteps(1000, 10_000);

    /**
     * The duration of a setting.
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
                    "With limiter.storage: redis it must be a whole number of microseconds, such as 1us or 500ms."));
        }
        return duration;
    }

    /** Checks how many permits a log is to remember. */
    void checkLogged(Setting<Long> setting, Problems problems) {
        if (setting.value() > mostLogged) {
            problems.add(
                    MessageCode.LARGE_LOG,
                    setting.where(),
                    setting.value(),
                    "With limiter.storage: redis a log remembers at most " + mostLogged
                            + " permits. Use algorithm: sliding-window-counter, which has no such bound.");
        }
    }

    /** Checks how many permits a limit that was already compiled remembers; {@code where}: it is from. */
    void checkLogged(Limit limit, String where, Problems problems) {
        if (limit instanceof Limit.SlidingWindowLog) {
            checkLogged(new Setting<>(limit.limit(), where), problems);
        }
    }

    /** Checks that each of so many equal parts of a window has at least one step. */
    void checkParts(@Nullable Setting<String> window, Duration length, int parts, Problems problems) {
        if (window != null && !length.isZero() && length.compareTo(Duration.ofNanos((long) nanos * parts)) < 0) {
            problems.add(
                    MessageCode.OUT_OF_RANGE,
                    window.where(),
                    window.value(),
                    "The window is too short for " + parts + " buckets.");
        }
    }
}
