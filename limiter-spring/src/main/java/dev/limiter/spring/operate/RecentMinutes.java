package dev.limiter.spring.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A value for each of the last minutes: the current one, and {@value #WHOLE} before it. A sampling thread counts the
 * seconds, so recording threads read no clock. Thread-safe; bounded in size.
 *
 * @param <T> the type of the value of a minute
 */
final class RecentMinutes<T> {

    /** The number of past minutes. */
    static final int WHOLE = 5;

    static final int SAMPLES_PER_MINUTE = 60;

    private final Supplier<T> begin;
    private volatile List<T> minutes;
    private int samples;

    /** {@code begin}: creates the value of a new minute. */
    RecentMinutes(Supplier<T> begin) {
        this.begin = begin;
        this.minutes = List.of(begin.get());
    }

    /** Counts a second. */
    synchronized void sample() {
        if (++samples == SAMPLES_PER_MINUTE) {
            samples = 0;
            List<T> next = new ArrayList<>(minutes.subList(Math.max(0, minutes.size() - WHOLE), minutes.size()));
            next.add(begin.get());
            minutes = List.copyOf(next);
        }
    }

    /** Returns the value of the current minute. */
    T current() {
        List<T> all = minutes;
        return all.get(all.size() - 1);
    }

    /** Returns the value of each minute, oldest first. */
    List<T> all() {
        return minutes;
    }
}
