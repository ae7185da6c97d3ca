package dev.limiter.algorithm;

import dev.limiter.Algorithm;
import dev.limiter.CompiledLimit;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStrategy;

/**
 * {@link Algorithm#FIXED_WINDOW}: {@code limit} per window. Windows are counted from the epoch, follow the calendar, or
 * start with their first request.
 */
public final class FixedWindowStrategy implements RateLimiterStrategy {

    @Override
    public Algorithm algorithm() {
        return Algorithm.FIXED_WINDOW;
    }

    @Override
    public CompiledLimit compile(Limit limit, long now) {
        if (limit instanceof Limit.FixedWindow fixed) {
            return fixed.fromFirst() ? new FirstRequestWindow(fixed) : new EpochWindow(fixed, now);
        }
        if (limit instanceof Limit.CalendarWindow calendar) {
            return new CalendarWindow(calendar, now);
        }
        throw new IllegalArgumentException(limit + " is no fixed window");
    }
}
