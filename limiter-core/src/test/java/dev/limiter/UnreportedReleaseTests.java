package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.VirtualWaiting.Request;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.ReleaseListener;
import dev.limiter.spi.ReleaseListeners;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that wait on storages that report no releases: the heads of queues retry every 25 ms. */
class UnreportedReleaseTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration POLL = Duration.ofMillis(25);

    private static final VirtualTime TIME = new VirtualTime();

    private final Rule pool = Rule.of("pool", Limit.concurrency(1));

    private static final class Silent extends DelegatingStorage {

        Silent(RateLimiterStorage memory) {
            super(memory);
        }

        @Override
        public void onRelease(ReleaseListener listener) {
            listener.unreported();
        }
    }

    /** A storage with its own listeners, which receive what the inner storage reports. */
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
        return new InMemoryRateLimiterStorage(new RateLimiterFactory(), TIME, 1000);
    }

    private Charge waits(String key) {
        return pool.charge(key).maxWait(HOUR);
    }

    @ParameterizedTest
    @MethodSource("silent")
    void eachPollServesTheHead(RateLimiterStorage storage) {
        VirtualWaiting room = new VirtualWaiting(storage, TIME);
        Decision held = storage.decide(pool, "key", 1);
        Request first = room.waiter(waits("key"));
        Request second = room.waiter(waits("key"));
        room.advance(POLL);
        assertThat(first.waits()).isTrue();

        held.close();
        assertThat(first.waits()).isTrue();
        room.advance(POLL);
        assertThat(first.isPermitted()).isTrue();
        assertThat(second.waits()).isTrue();

        first.outcome().close();
        room.advance(POLL);
        assertThat(second.isPermitted()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("reporting")
    void storageThatReportsIsNotPolled(RateLimiterStorage storage) {
        VirtualWaiting room = new VirtualWaiting(storage, TIME);
        Decision held = storage.decide(pool, "key", 1);
        Request waiter = room.waiter(waits("key"));
        assertThat(room.timer.next() - TIME.now()).isEqualTo(HOUR.toNanos());
        held.close();
        assertThat(waiter.isPermitted()).isTrue();
    }
}
