package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.failover.StorageUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The test sets the counts that a server replies with. */
class InstanceCounterTests {

    private static final long HEARTBEAT = Duration.ofSeconds(2).toNanos();

    private long now;
    private CompletableFuture<byte[]> reply = new CompletableFuture<>();
    private final InstanceCounter counter = new InstanceCounter(
            new FakeRedis() {
                @Override
                public CompletionStage<byte[]> run(Script script, byte[][] keys, byte[]... arguments) {
                    return reply;
                }
            },
            "",
            () -> now);

    private int countAfter(int count) {
        reply = CompletableFuture.completedFuture(new Arguments(8).number(count).toArray());
        now += HEARTBEAT;
        counter.sayHello();
        return counter.known();
    }

    private int countAfter(int count, int times) {
        for (int i = 1; i < times; i++) {
            countAfter(count);
        }
        return countAfter(count);
    }

    @Test
    void aHigherCountAppliesAtOnce() {
        assertThat(countAfter(2)).isEqualTo(2);
        assertThat(countAfter(4)).isEqualTo(4);
        assertThat(countAfter(3)).isEqualTo(4);
        assertThat(countAfter(5)).isEqualTo(5);
    }

    @Test
    void theHighestOfTheLatestCountsApplies() {
        countAfter(4);
        assertThat(countAfter(1)).isEqualTo(4);
        assertThat(countAfter(3)).isEqualTo(4);
        assertThat(countAfter(1, InstanceCounter.RECENT_COUNTS - 1)).isEqualTo(3);
        assertThat(countAfter(1)).isEqualTo(1);
    }

    /** A paused server replies to all waiting calls before it reads the heartbeats of other instances. */
    @Test
    void lateRepliesAreIgnored() {
        countAfter(4);
        List<CompletableFuture<byte[]>> late = new ArrayList<>();
        for (int i = 0; i < 2 * InstanceCounter.RECENT_COUNTS; i++) {
            CompletableFuture<byte[]> each = new CompletableFuture<>();
            late.add(each);
            reply = each;
            now += HEARTBEAT;
            counter.sayHello();
        }
        now += HEARTBEAT;
        late.forEach(each -> each.complete(new Arguments(8).number(1).toArray()));
        assertThat(counter.known()).isEqualTo(4);
    }

    /** A server that fails after each first count proves nothing, however long that takes. */
    @Test
    void outagesBetweenTwoCountsDoNotLowerTheCount() {
        countAfter(4);
        for (int i = 0; i < 3; i++) {
            now += Duration.ofMinutes(1).toNanos();
            assertThat(countAfter(1)).isEqualTo(4);
            reply = CompletableFuture.failedFuture(new StorageUnavailableException("gone", null));
            now += HEARTBEAT;
            counter.sayHello();
        }
        assertThat(counter.known()).isEqualTo(4);
    }
}
