package dev.limiter.spring.rule;

import dev.limiter.spring.failure.MessageCode;
import dev.limiter.spring.failure.Problems;
import java.time.Duration;

/**
 * The steps of time that the storage counts in. Durations that are no whole number of them would not be what they seem.
 *
 * @param nanos 1 in memory, 1000 in Redis
 */
public record TimeSteps(int nanos) {

    public static final TimeSteps NANOSECONDS = new TimeSteps(1);
    public static final TimeSteps MICROSECONDS = new TimeSteps(1000);

    void check(Setting<String> setting, Duration duration, Problems problems) {
        if (duration.toNanosPart() % nanos != 0) {
            problems.add(
                    MessageCode.TIME_STEP,
                    setting.where(),
                    setting.value(),
                    "With limiter.storage: redis it must be a whole number of microseconds, such as 1us or 500ms.");
        }
    }

    /** Whether each of so many equal parts of a duration has at least one step. */
    boolean fit(Duration duration, int parts) {
        return duration.compareTo(Duration.ofNanos((long) nanos * parts)) >= 0;
    }
}
