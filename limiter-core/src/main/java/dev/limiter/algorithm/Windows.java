package dev.limiter.algorithm;

/** Numbers the windows that time is cut into, one after the other. Immutable to its callers. */
interface Windows {

    /** The number of the window that {@code now} lies in. */
    long number(long now);

    /** When a window starts; the one before ends then. */
    long start(long number);

    /** No window is shorter, in nanoseconds. */
    long shortest();

    /** Whether the windows of both are the same, but for their numbers. */
    boolean sameAs(Windows other);
}
