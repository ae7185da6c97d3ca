package dev.limiter.spring.compile;

import dev.limiter.Limit;
import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import dev.limiter.spring.rule.Setting;
import java.time.Duration;

/**
 * The steps of time in which the storage counts. A duration must be a whole number of them, or it would be rounded.
 *
 * @param nanos of a step of time: 1 in memory, 1000 in Redis
 * @param mostLogged the most permits that a log may remember: in Redis each costs memory of a shared server
 */
public record TimeSteps(int nanos, long mostLogged) {

    public static final TimeSteps NANOSECONDS = new TimeSteps(1, Limit.MAX_PERMITS);
    public static final TimeSteps MICROSECONDS = new TimeSteps(1000, 10_000);

    void check(Setting<String> setting, Duration duration, Problems problems) {
        if (duration.toNanosPart() % nanos != 0) {
            problems.add(
                    MessageCode.TIME_STEP,
                    setting.where(),
                    setting.value(),
                    "With limiter.storage: redis it must be a whole number of microseconds, such as 1us or 500ms.");
        }
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

    /** The least part of a duration, as the end of a sentence about its parts. */
    String leastPart() {
        return nanos == 1
                ? "each has at least a nanosecond"
                : "with limiter.storage: redis each has at least a microsecond";
    }

    /** Whether each of so many equal parts of a duration has at least one step. */
    boolean fit(Duration duration, int parts) {
        return duration.compareTo(Duration.ofNanos((long) nanos * parts)) >= 0;
    }
}
