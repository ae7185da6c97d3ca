package dev.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.OnFailure;
import dev.limiter.RateLimiterFactory;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import dev.limiter.VirtualTime;
import dev.limiter.failover.FailoverRateLimiterStorage;
import dev.limiter.memory.InMemoryRateLimiterStorage;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An instance stops using Redis because replies are late, but its commands are still executed. */
@Timeout(120)
class HoldsWhileGivenUpTests {

    private static final Duration HOLD = Duration.ofNanos(PermitRenewals.MICROS * 1000);

    private final String prefix = "given-up" + System.nanoTime() + ":";
    private final VirtualTime time = new VirtualTime();
    private final HeldRedis late = new HeldRedis(SharedRedis.redis());
    private final FailoverRateLimiterStorage here = storage(late, Duration.ofMillis(50));
    private final FailoverRateLimiterStorage there = storage(SharedRedis.redis(), Duration.ofSeconds(10));
    private final Rule pool = Rule.of("pool", Limit.concurrency(5));
    private final Rule other = Rule.of("other", Limit.fixedWindow(100, Duration.ofDays(1)));

    private FailoverRateLimiterStorage storage(Redis redis, Duration timeout) {
        RedisRateLimiterStorage remote = RedisRateLimiterStorage.builder(redis)
                .keyPrefix(prefix)
                .timeSource(time)
                .timeout(timeout)
                .build();
        return FailoverRateLimiterStorage.builder(
                        remote, new InMemoryRateLimiterStorage(new RateLimiterFactory(), TimeSource.system(), 1000))
                .onFailure(rule -> OnFailure.DENY)
                .instances(2)
                .build();
    }

    private static Decision take(FailoverRateLimiterStorage storage, Rule rule) {
        return storage.decide(List.of(rule.charge("key")));
    }

    private List<Decision> takeAllHere() {
        here.warmUp(List.of(pool, other), Duration.ofSeconds(10));
        List<Decision> held = Stream.generate(() -> take(here, pool)).limit(5).toList();
        assertThat(held)
                .allMatch(Decision::permitted)
                .allMatch(decision -> decision.onFailure().isEmpty());
        return held;
    }

    private void giveUpHere() {
        late.hold();
        while (here.isAvailable()) {
            take(here, other);
        }
    }

    private void pass(Duration length) {
        for (Duration passed = Duration.ZERO; passed.compareTo(length) < 0; passed = passed.plusSeconds(1)) {
            time.advance(Duration.ofSeconds(1));
            here.cleanUp();
        }
    }

    @Test
    void areRenewed() {
        List<Decision> held = takeAllHere();
        giveUpHere();
        pass(HOLD.multipliedBy(3));
        assertThat(here.isAvailable()).isFalse();
        assertThat(take(there, pool).permitted()).isFalse();

        held.forEach(Decision::close);
        assertThat(take(there, pool).permitted()).isTrue();
    }
}
