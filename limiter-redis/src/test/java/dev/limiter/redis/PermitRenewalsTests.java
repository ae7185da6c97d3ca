package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An instance renews the permits of concurrency limits that it holds; they become free when it is gone. */
class PermitRenewalsTests {

    private static final Duration HOLD = Duration.ofNanos(PermitRenewals.MICROS * 1000);

    private final VirtualTime time = new VirtualTime();
    private final RedisRateLimiterStorage here = RedisStorageProvider.of(time, "holds");
    private final RedisRateLimiterStorage there = RedisStorageProvider.of(time, "holds");
    private final Rule pool = Rule.of("pool" + System.nanoTime(), Limit.concurrency(2));

    private Decision take(RedisRateLimiterStorage storage, long permits) {
        return storage.decide(List.of(pool.charge("key", permits)));
    }

    @Test
    void isHeldAsLongAsItIsRenewed() {
        Decision held = take(here, 1);
        assertThat(here.size()).isEqualTo(1);
        for (int i = 0; i < 20; i++) {
            time.advance(HOLD.dividedBy(2));
            here.cleanUp();
            assertThat(take(there, 2).permitted()).isFalse();
        }
        held.close();
        assertThat(here.size()).isZero();
        assertThat(take(there, 2).permitted()).isTrue();
    }

    @Test
    void isFreeWithoutRenewals() {
        Decision gone = take(here, 1);
        take(here, 1);
        time.advance(HOLD.minusNanos(1000));
        assertThat(take(there, 1).permitted()).isFalse();
        time.advance(Duration.ofNanos(1000));
        // the second instance uses the state that the first one has left
        assertThat(there.peek(pool, "key").remaining()).isEqualTo(2);
        assertThat(take(there, 1).permitted()).isTrue();
        gone.close();
        assertThat(there.peek(pool, "key").remaining()).isEqualTo(1);
    }

    @Test
    void expiredHoldsAreRemovedWhileOthersAreHeld() {
        take(here, 1);
        time.advance(HOLD.dividedBy(2));
        take(there, 1);
        assertThat(take(there, 1).permitted()).isFalse();
        time.advance(HOLD.dividedBy(2));
        assertThat(take(there, 2).permitted()).isFalse();
        assertThat(take(there, 1).permitted()).isTrue();
    }

    @Test
    void isNotRenewedAfterTheRuleHasChangedItsKind() {
        Decision held = take(here, 2);
        Rule rate = Rule.of(pool.name(), Limit.tokenBucket(10, Duration.ofHours(1)));
        there.decide(List.of(rate.charge("key", 1)));
        time.advance(HOLD.dividedBy(2));
        here.cleanUp();
        held.close();
        assertThat(there.peek(rate, "key").remaining()).isEqualTo(7);
    }
}
