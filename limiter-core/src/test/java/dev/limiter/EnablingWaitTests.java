package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A request that arrives while waiting is being enabled receives releases if it waits. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EnablingWaitTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private Runnable onReading = () -> {};

    private long read() {
        Runnable once = onReading;
        onReading = () -> {};
        once.run();
        return time.epochNanos();
    }

    @Test
    void receivesAReleaseIfWaitingIsEnabledConcurrently() {
        RateLimiterStorage storage = new InMemoryRateLimiterStorage(new RateLimiterFactory(), this::read, 1000);
        VirtualWaiting room = new VirtualWaiting(storage, time);
        Decision held = storage.decide(pool, "key", 1);
        room.limiters.stopWaiting();
        // read before the storage decides whether the request waits
        onReading = room.limiters::startWaiting;

        VirtualWaiting.Request waiter = room.waiter(pool.charge("key").maxWait(HOUR));
        held.close();

        assertThat(waiter.isPermitted()).isTrue();
    }

    @Test
    @Tag("race")
    void noRequestIsLostIfWaitingIsEnabledInARace() {
        try (Threads threads = new Threads()) {
            for (int round = 0; round < 5000; round++) {
                RateLimiters limiters = RateLimiters.builder().timeSource(time).build();
                Decision held = limiters.tryAcquire(pool, "key");
                limiters.stopWaiting();
                threads.race(List.<Callable<Object>>of(
                        () -> limiters.acquireAsync(pool, "key", HOUR).isDone(),
                        Executors.callable(limiters::startWaiting)));
                held.close();
                // at once, or when the timer of a request has updated the queues
                until(() -> limiters.waiting() == 0);
            }
        }
    }
}
