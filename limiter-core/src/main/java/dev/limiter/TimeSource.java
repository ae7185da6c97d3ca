package dev.limiter;

/**
 * Where the time of all decisions comes from. Thread-safe; does not block.
 *
 * <p>Implementations should never step back. Limits survive one that does: it grants nothing, and blocks nobody for
 * longer than a window; a step of up to half a window is sat out where it happens, on top of that.
 */
@FunctionalInterface
public interface TimeSource {

    /** Nanoseconds since 1970-01-01T00:00Z, from 0 to 2<sup>62</sup> (the year 2116). */
    long epochNanos();

    /** The wall clock as it was when this class was loaded, advanced by {@link System#nanoTime()}: never steps back. */
    static TimeSource system() {
        return SystemTimeSource.INSTANCE;
    }
}
