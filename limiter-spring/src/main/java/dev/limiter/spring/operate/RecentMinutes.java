package dev.limiter.spring.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Something for each of the last minutes: the one that is under way, and {@value #WHOLE} before it. Samples once a
 * second count the time, so that a recording thread reads no clock. Thread-safe, and of a fixed size.
 *
 * @param <T> what there is of one minute
 */
final class RecentMinutes<T> {

    /** How many minutes are remembered once they are over. */
    static final int WHOLE = 5;

    static final int SAMPLES_PER_MINUTE = 60;

    private final Supplier<T> begin;
    private volatile List<T> minutes;
    private int samples;

    /** {@code begin}: what there is of a minute that begins. */
    RecentMinutes(Supplier<T> begin) {
        this.begin = begin;
        this.minutes = List.of(begin.get());
    }

    /** A second is over. */
    synchronized void sample() {
        if (++samples == SAMPLES_PER_MINUTE) {
            samples = 0;
            List<T> next = new ArrayList<>(minutes.subList(Math.max(0, minutes.size() - WHOLE), minutes.size()));
            next.add(begin.get());
            minutes = List.copyOf(next);
        }
    }

    /** The minute that is under way. */
    T current() {
        List<T> all = minutes;
        return all.get(all.size() - 1);
    }

    /** The value of each minute, the oldest first. */
    List<T> all() {
        return minutes;
    }
}
