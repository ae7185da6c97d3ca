package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A release does not wait for locks of queues; otherwise the queues of one storage could deadlock. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentReleaseTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final int PERMITS = 3;

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters here = RateLimiters.builder().timeSource(time).build();
    private final RateLimiterStorage storage = here.storage();
    private final RateLimiters there = new RateLimiters(storage);
    private final Threads threads = new Threads();

    private final Rule pool = Rule.of("pool", Limit.concurrency(PERMITS));
    private final Rule first = Rule.of("first", Limit.concurrency(1));
    private final Rule second = Rule.of("second", Limit.concurrency(1));

    /** Counted down when two threads have arrived. */
    private final CountDownLatch meeting = new CountDownLatch(2);

    /** Whether all requests are in their queues, where they are first tried. */
    private volatile boolean queued;

    @AfterEach
    void stopThreads() {
        threads.close();
    }

    /** Waits until another thread arrives, once. */
    private void meet() {
        meeting.countDown();
        await(meeting);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).as("have met").isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static CompletableFuture<Decision> waits(
            RateLimiters limiters, BooleanSupplier present, Charge... charges) {
        int before = limiters.waiting();
        CompletableFuture<Decision> future = limiters.acquireAsync(List.of(charges), present);
        until(() -> limiters.waiting() == before + 1);
        return future;
    }

    private static CompletableFuture<Decision> waits(RateLimiters limiters, Rule... rules) {
        return waits(
                limiters,
                () -> true,
                List.of(rules).stream()
                        .map(rule -> rule.charge("key").maxWait(HOUR))
                        .toArray(Charge[]::new));
    }

    private <T> void race(Callable<T> one, Callable<T> other) {
        threads.race(List.of(one, other));
    }

    @Test
    void releasesDuringDecisionsDoNotDeadlockTwoQueues() {
        Decision one = here.tryAcquire(first, "key");
        Decision other = here.tryAcquire(second, "key");
        Decision heldByOne = here.tryAcquire(pool, "key");
        Decision heldByOther = here.tryAcquire(pool, "key");
        CompletableFuture<Decision> nextHere = waits(here, () -> releasesWhenMet(heldByOne), waiting(first));
        CompletableFuture<Decision> nextThere = waits(there, () -> releasesWhenMet(heldByOther), waiting(second));

        queued = true;

        race(() -> come(one), () -> come(other));

        assertThat(nextHere.join().permitted()).isTrue();
        assertThat(nextThere.join().permitted()).isTrue();
        assertThat(here.peek(pool, "key").remaining()).isEqualTo(PERMITS);
    }

    private static Charge waiting(Rule rule) {
        return rule.charge("key").maxWait(HOUR);
    }

    private boolean releasesWhenMet(Decision held) {
        if (queued) {
            meet();
            held.close();
        }
        return true;
    }

    /** The other thread may serve the queue of this release as well; then only that one arrives. */
    private boolean come(Decision held) {
        held.close();
        meeting.countDown();
        return true;
    }

    @Test
    void aReleaseWaitsForNoThreadThatServesAnotherQueue() throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Decision one = here.tryAcquire(first, "key");
        Decision other = here.tryAcquire(second, "key");
        CompletableFuture<Decision> slow = waits(
                here,
                () -> {
                    if (queued) {
                        called.countDown();
                        await(goesOn);
                    }
                    return true;
                },
                waiting(first));
        CompletableFuture<Decision> next = waits(here, second);
        queued = true;
        Thread busy = new Thread(one::close);
        busy.start();
        await(called);

        Thread releasing = new Thread(other::close);
        releasing.start();

        releasing.join(TimeUnit.SECONDS.toMillis(20));
        boolean released = !releasing.isAlive();
        goesOn.countDown();
        assertThat(released).as("while another queue is busy").isTrue();
        assertThat(slow.join().permitted()).isTrue();
        assertThat(next.join().permitted()).isTrue();
    }
}
