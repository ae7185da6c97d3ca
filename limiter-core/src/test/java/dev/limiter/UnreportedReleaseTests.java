package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Waiters for a release on storages that say nothing of releases. */
class UnreportedReleaseTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualTimer timer = new ManualTimer();
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));

    private static final class Silent extends DelegatingStorage {

        Silent(RateLimiterStorage memory) {
            super(memory);
        }
    }

    /** A storage with listeners of its own, which hear what the one within reports. */
    private static final class Around extends DelegatingStorage {

        private final ReleaseListeners listeners = new ReleaseListeners();

        Around(RateLimiterStorage within) {
            super(within);
            within.onRelease(listeners);
        }

        @Override
        public void onRelease(ReleaseListener listener) {
            listeners.add(listener);
        }
    }

    static Stream<RateLimiterStorage> silent() {
        return Stream.of(new Silent(memory()), new Around(new Silent(memory())));
    }

    static Stream<RateLimiterStorage> reporting() {
        return Stream.of(memory(), new Around(memory()));
    }

    private static RateLimiterStorage memory() {
        return new InMemoryRateLimiterStorage(new RateLimiterFactory(), new VirtualTime(), 1000);
    }

    private Waiter entered(WaitingRoom room, String key) {
        Waiter waiter = new Waiter(List.of(pool.charge(key).within(HOUR)), VirtualTime.START, () -> true, () -> {});
        assertThat(room.enter(waiter)).isNull();
        return waiter;
    }

    private WaitingRoom room(RateLimiterStorage storage) {
        return new WaitingRoom(storage, timer, AsyncExecutor.toCommonPool());
    }

    private void poll() {
        timer.ring(ReleasePolling.EVERY_NANOS);
    }

    @ParameterizedTest
    @MethodSource("silent")
    void eachPollLetsInWhoeverIsFirst(RateLimiterStorage storage) {
        WaitingRoom room = room(storage);
        Decision held = storage.decide(pool, "key", 1);
        Waiter first = entered(room, "key");
        Waiter second = entered(room, "key");
        poll();
        assertThat(first.isDone()).isFalse();

        held.close();
        poll();
        assertThat(first.outcome().permitted()).isTrue();
        assertThat(second.isDone()).isFalse();

        first.outcome().close();
        poll();
        assertThat(second.outcome().permitted()).isTrue();
    }

    @Test
    void eachQueueIsPolledForAsLongAsItHasAWaiter() {
        RateLimiterStorage storage = new Silent(memory());
        WaitingRoom room = room(storage);
        Decision held = storage.decide(pool, "key", 1);
        Decision other = storage.decide(pool, "other", 1);
        Waiter waiter = entered(room, "key");
        Waiter behind = entered(room, "key");
        Waiter elsewhere = entered(room, "other");
        assertThat(timer.size()).isEqualTo(2);

        other.close();
        poll();
        assertThat(elsewhere.outcome().permitted()).isTrue();
        room.leave(waiter);
        room.leave(behind);
        poll();
        assertThat(timer.size()).isZero();

        Waiter later = entered(room, "key");
        held.close();
        poll();
        assertThat(later.outcome().permitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("reporting")
    void storageThatReportsIsNotPolled(RateLimiterStorage storage) {
        WaitingRoom room = room(storage);
        Decision held = storage.decide(pool, "key", 1);
        Waiter waiter = entered(room, "key");
        assertThat(timer.size()).isZero();
        held.close();
        assertThat(waiter.outcome().permitted()).isTrue();
    }
}
