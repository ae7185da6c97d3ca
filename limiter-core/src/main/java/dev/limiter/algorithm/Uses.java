package dev.limiter.algorithm;

import dev.limiter.CompiledLimit;
import dev.limiter.LimitState;
import java.util.ArrayList;
import java.util.List;

/**
 * When the permits were taken that count under a limit, for the limit that replaces it: it counts them from then in its
 * own way, as the scripts of {@code limiter-redis} do.
 */
final class Uses {

    private Uses() {}

    /** Permits that were taken evenly between two times, in epoch nanoseconds. */
    record Use(long from, long to, long permits) {

        long middle() {
            return from + (to - from) / 2;
        }
    }

    /** A state that tells when its permits were taken. */
    interface Timed {

        /** The permits that count, oldest first, none of them later than now. */
        List<Use> uses(long now);
    }

    /** The uses of a state; as of now where it does not tell more. */
    static List<Use> of(LimitState state, CompiledLimit limit, long now) {
        if (state instanceof Timed timed) {
            return timed.uses(now);
        }
        return between(now, now, limit.atOnce() - state.remaining(now), now);
    }

    /** One use, if it has permits, and no time later than now. */
    static List<Use> between(long from, long to, long permits, long now) {
        return permits > 0 ? List.of(new Use(Math.min(from, now), Math.min(to, now), permits)) : List.of();
    }

    /** The uses since a time: of one that began before it a part, rounded up. */
    static List<Use> since(long time, List<Use> uses) {
        List<Use> recent = new ArrayList<>();
        for (Use use : uses) {
            if (use.from >= time) {
                recent.add(use);
            } else if (use.to > time) {
                long part = Exact.mulDivUp(use.permits, use.to - time, use.to - use.from);
                recent.add(new Use(time, use.to, part));
            }
        }
        return recent;
    }

    static long permits(List<Use> uses) {
        return uses.stream().mapToLong(Use::permits).sum();
    }

    /** The level of a bucket that these uses filled and that leaks since then, at most {@code most}, below 2^61. */
    static long level(List<Use> uses, long unitsPerNano, long unitsPerPermit, long most, long now) {
        long level = 0;
        long reached = now;
        for (Use use : uses) {
            level = leaked(level, use.from - reached, unitsPerNano);
            long added = use.permits > (1L << 61) / unitsPerPermit ? 1L << 61 : use.permits * unitsPerPermit;
            level = leaked(Math.min(level + added, 1L << 61), use.to - use.from, unitsPerNano);
            reached = use.to;
        }
        return Math.min(leaked(level, now - reached, unitsPerNano), most);
    }

    private static long leaked(long level, long nanos, long unitsPerNano) {
        return nanos > level / unitsPerNano ? 0 : level - Math.max(nanos, 0) * unitsPerNano;
    }
}
