package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.waiting.AsyncExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Foreign listeners and storages throw: no permit is lost, and no other request waits forever. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThrowingListenerTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private volatile boolean broken;
    private final RateLimiterStorage storage =
            new InMemoryRateLimiterStorage(new RateLimiterFactory(), this::read, 1000);
    private final VirtualTimer timer = new VirtualTimer(time);
    private final RateLimiters limiters = new RateLimiters(storage, timer, AsyncExecutor.toCommonPool());
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));
    private final List<String> events = new CopyOnWriteArrayList<>();

    enum Moment {
        COMES,
        BEGINS,
        ENDS
    }

    private long read() {
        if (broken) {
            throw new IllegalStateException("broken clock");
        }
        return time.epochNanos();
    }

    private WaitListener throwing(Moment moment) {
        return charges -> {
            fail(moment, Moment.COMES);
            return new WaitListener.Wait() {
                @Override
                public void begins() {
                    fail(moment, Moment.BEGINS);
                }

                @Override
                public void ends(@Nullable Decision decision) {
                    fail(moment, Moment.ENDS);
                }
            };
        };
    }

    private static void fail(Moment chosen, Moment now) {
        if (chosen == now) {
            throw new IllegalStateException("listener at " + now);
        }
    }

    private WaitListener noting() {
        return charges -> new WaitListener.Wait() {
            @Override
            public void begins() {
                events.add("begins");
            }

            @Override
            public void ends(@Nullable Decision decision) {
                events.add("ends");
            }
        };
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aFutureGetsItsPermitDespiteAnException(Moment moment) {
        limiters.onWait(throwing(moment));
        limiters.onWait(noting());
        Decision held = limiters.tryAcquire(pool, "key");

        CompletableFuture<Decision> first = limiters.acquireAsync(pool, "key", HOUR);
        CompletableFuture<Decision> second = limiters.acquireAsync(pool, "key", HOUR);
        held.close();

        assertThat(first.join().permitted()).isTrue();
        first.join().close();
        second.join().close();
        assertThat(limiters.waiting()).isZero();
        assertThat(limiters.peek(pool, "key").remaining()).isEqualTo(1);
        assertThat(events).containsExactlyInAnyOrder("begins", "begins", "ends", "ends");
    }

    @Test
    void aReleaseIsReportedToTheOtherListenersOfAStorage() {
        AtomicInteger thrown = new AtomicInteger();
        storage.onRelease((rule, key) -> {
            thrown.incrementAndGet();
            throw new IllegalStateException("release listener");
        });
        Decision held = limiters.tryAcquire(pool, "key");
        CompletableFuture<Decision> waiter = limiters.acquireAsync(pool, "key", HOUR);

        held.close();

        assertThat(waiter.join().permitted()).isTrue();
        assertThat(thrown).hasValue(1);
    }

    @Test
    void aRequestFailsAndLeavesTheQueueIfTheClockThrows() {
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(1, HOUR));
        Decision held = limiters.tryAcquire(pool, "key");
        limiters.tryAcquire(bucket, "key");
        List<CompletableFuture<Decision>> requests = List.of(
                limiters.acquireAsync(pool, "key", HOUR),
                limiters.acquireAsync(pool, "key", HOUR),
                limiters.acquireAsync(bucket, "key", HOUR));
        time.advance(HOUR);
        broken = true;
        timer.run();
        broken = false;

        assertThat(requests)
                .allSatisfy(request -> assertThatThrownBy(request::join).hasRootCauseMessage("broken clock"));
        assertThat(limiters.waiting()).isZero();
        held.close();
        assertThat(limiters.peek(pool, "key").remaining()).isEqualTo(1);
    }
}
