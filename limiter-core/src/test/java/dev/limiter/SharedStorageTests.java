package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two {@link RateLimiters} on one storage: neither knows the queue of the other. */
class SharedStorageTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();
    private final AlarmedWaiters here = new AlarmedWaiters(limiters.storage(), time);
    private final AlarmedWaiters there = new AlarmedWaiters(limiters.storage(), time);
    private final List<Waiter> waiting = new ArrayList<>();

    private Waiter enter(AlarmedWaiters waiters, Rule rule) {
        Waiter waiter = waiters.enter(List.of(rule.charge("key").within(HOUR)));
        waiting.add(waiter);
        return waiter;
    }

    /** How many leave in the next second. */
    private long leaving() {
        time.advance(SECOND);
        here.timer.run();
        there.timer.run();
        long permitted = waiting.stream()
                .filter(waiter -> waiter.isDone() && waiter.outcome().permitted())
                .count();
        waiting.removeIf(Waiter::isDone);
        return permitted;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noTurnIsGivenTwiceWhenWaitersOfOneGiveUp(boolean paced) {
        Limit.LeakyBucket bucket = Limit.leakyBucket(1, SECOND).burst(1_000);
        Rule rule = Rule.of("rule", paced ? bucket.paced() : Limit.tokenBucket(1, SECOND));
        limiters.tryAcquire(rule, "key");
        List<Waiter> giveUp = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            enter(here, rule);
            giveUp.add(enter(there, rule));
        }

        giveUp.forEach(there.waitingRoom::leave);
        for (int i = 0; i < 10; i++) {
            enter(there, rule);
        }

        while (!waiting.isEmpty()) {
            assertThat(leaving()).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void turnsMoveUpAgainOnceTheOtherIsClosed() {
        Rule rule = Rule.of("rule", Limit.tokenBucket(1, SECOND));
        limiters.tryAcquire(rule, "key");
        Waiter other = enter(there, rule);
        there.waitingRoom.close();
        assertThat(other.isDone()).isTrue();
        Waiter first = enter(here, rule);
        enter(here, rule);
        waiting.remove(other);

        here.waitingRoom.leave(first);

        assertThat(leaving()).isEqualTo(1);
    }
}
