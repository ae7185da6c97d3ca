package dev.limiter.spring.operate;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was written down in each of the last minutes: the one that is under way, and {@value #WHOLE} before it. Thread-safe,
 * without locks, and of a fixed size.
 *
 * @param <T> what is written down in one minute
 */
final class RecentMinutes<T> {

    /** How many minutes are remembered once they are over. */
    static final int WHOLE = 5;

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final AtomicReferenceArray<@Nullable Minute<T>> minutes = new AtomicReferenceArray<>(WHOLE + 1);
    private final TimeSource clock;
    private final Supplier<T> empty;

    private record Minute<T>(long number, T content) {}

    RecentMinutes(TimeSource clock, Supplier<T> empty) {
        this.clock = clock;
        this.empty = empty;
    }

    private long number() {
        return Math.floorDiv(clock.epochNanos(), MINUTE_NANOS);
    }

    /** Where to write down what happens now. */
    T current() {
        long number = number();
        int slot = (int) Math.floorMod(number, (long) WHOLE + 1);
        while (true) {
            Minute<T> minute = minutes.get(slot);
            // a clock that is set back goes on in the later minute
            if (minute != null && minute.number() >= number) {
                return minute.content();
            }
            Minute<T> next = new Minute<>(number, empty.get());
            if (minutes.compareAndSet(slot, minute, next)) {
                return next.content();
            }
        }
    }

    /** The content of each minute, in any order. */
    List<T> all() {
        long oldest = number() - WHOLE;
        List<T> all = new ArrayList<>(WHOLE + 1);
        for (int i = 0; i < minutes.length(); i++) {
            Minute<T> minute = minutes.get(i);
            if (minute != null && minute.number() >= oldest) {
                all.add(minute.content());
            }
        }
        return all;
    }
}
