package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns that move up are noticed in time, by timers alone and without waking all whose turns have moved. */
class MovedTurnsTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int MANY = 16_000;

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();
    private final AlarmedWaiters waiters = new AlarmedWaiters(limiters.storage(), time);
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(100_000).paced());

    private Waiter enter(Charge... charges) {
        return waiters.enter(List.of(charges));
    }

    private void pass(Duration step) {
        time.advance(step);
        waiters.timer.run();
    }

    @Test
    void giveUpsInTheOrderOfArrivalWakeAndSetTimersForAFew() {
        limiters.tryAcquire(paced, "key");
        List<Waiter> queue = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            queue.add(enter(paced.charge("key").within(DAY)));
        }
        Waiter last = enter(paced.charge("key").within(DAY));
        waiters.timer.set = 0;
        waiters.woken = 0;

        queue.forEach(waiters.waitingRoom::leave);

        assertThat(waiters.woken).as("each is told of its own refusal").isEqualTo(MANY);
        assertThat(waiters.timer.set).isLessThanOrEqualTo(2);
        pass(SECOND.minusNanos(1));
        assertThat(last.isDone()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(last.outcome().permitted()).isTrue();
    }

    @Test
    void aTurnComesInTimeThoughTheOneBeforeItWaitsForAnotherRule() {
        Rule slow = Rule.of("slow", Limit.leakyBucket(1, HOUR).burst(100).paced());
        Charge[] both = {paced.charge("key").within(DAY), slow.charge("key").within(DAY)};
        enter(both);
        Waiter first = enter(paced.charge("key").within(DAY));
        enter(both);
        Waiter behind = enter(paced.charge("key").within(DAY));
        Duration turn = Duration.ofNanos(waiters.waitingRoom.admission.due(behind) - time.now());

        waiters.waitingRoom.leave(first);

        pass(turn.minus(SECOND).minusNanos(1));
        assertThat(behind.isDone()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(behind.outcome().permitted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noTurnIsMissed(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Waiter> waiting = new ArrayList<>();
        int moved = 0;
        for (int i = 0; i < 2_000; i++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> waiting.add(waiters.enter(charges(random)));
                case 4, 5 -> {
                    if (!waiting.isEmpty()) {
                        waiters.waitingRoom.leave(waiting.get(random.nextInt(waiting.size())));
                    }
                }
                case 6 -> passTo(time.now() + random.nextLong(SECOND.toNanos()), waiting);
                default -> passTo(next(waiting), waiting);
            }
            waiting.removeIf(Waiter::isDone);
            moved += (int) waiting.stream()
                    .filter(waiter -> waiters.waitingRoom.admission.due(waiter) < waiter.due())
                    .count();
        }
        assertThat(moved).as("turns that moved up, seed %d", seed).isPositive();
        waiting.forEach(waiters.waitingRoom::leave);
        assertThat(waiters.waitingRoom.size()).isZero();
    }

    private List<Charge> charges(SplittableRandom random) {
        Rule bucket = random.nextBoolean()
                ? Rule.of("bucket", Limit.tokenBucket(10, SECOND))
                : Rule.of("bucket", Limit.tokenBucket(7, SECOND).burst(20));
        Charge first = paced.charge("key", 1 + random.nextInt(3)).within(HOUR);
        Charge second = bucket.charge("key", 1 + random.nextInt(4))
                .keeping(random.nextInt(3) * 20)
                .within(HOUR);
        return switch (random.nextInt(4)) {
            case 0 -> List.of(first);
            case 1 -> List.of(first, second);
            default -> List.of(second);
        };
    }

    private long next(List<Waiter> waiting) {
        return waiting.stream()
                .mapToLong(waiters.waitingRoom.admission::due)
                .min()
                .orElse(time.now());
    }

    /** Stops at every turn on the way. */
    private void passTo(long end, List<Waiter> waiting) {
        for (long next = next(waiting); next <= end && !waiting.isEmpty(); next = next(waiting)) {
            time.set(Math.max(next, time.now()));
            waiters.timer.run();
            for (Waiter waiter : waiting) {
                assertThat(waiter.isDone() || waiters.waitingRoom.admission.due(waiter) > time.now())
                        .as("on time")
                        .isTrue();
            }
            waiting.removeIf(Waiter::isDone);
        }
        time.set(Math.max(end, time.now()));
        waiters.timer.run();
    }
}
