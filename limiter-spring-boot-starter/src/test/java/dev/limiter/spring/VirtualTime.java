package dev.limiter.spring;

import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that only tests move. */
public final class VirtualTime implements TimeSource {

    private final AtomicLong now = new AtomicLong(1_800_000_000_000_000_000L);

    @Override
    public long epochNanos() {
        return now.get();
    }

    public void advance(Duration duration) {
        now.addAndGet(duration.toNanos());
    }
}
