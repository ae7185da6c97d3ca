package dev.limiter;

import java.time.Instant;

/** {@link System#nanoTime()}, shifted once to the epoch. */
final class SystemTimeSource implements TimeSource {

    static final SystemTimeSource INSTANCE = new SystemTimeSource();

    // static final, so that the JIT compiles it to a constant
    private static final long ORIGIN = origin();

    private SystemTimeSource() {}

    private static long origin() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano() - System.nanoTime();
    }

    @Override
    public long epochNanos() {
        return ORIGIN + System.nanoTime();
    }
}
