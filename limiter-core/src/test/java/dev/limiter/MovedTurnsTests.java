package dev.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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

    private final Rule bucket = Rule.of("bucket", Limit.tokenBucket(10, SECOND.multipliedBy(10)));

    private Charge bucket(long permits) {
        return bucket.charge("key", permits).within(HOUR);
    }

    private static Decision answer(Waiter waiter) {
        assertThat(waiter.outcome().permitted()).isTrue();
        return waiter.outcome();
    }

    @Test
    void permitsTakenAtOnceBehindATurnThatIsGivenUpAreNotReturnedOnceTheyHaveLeaked() {
        answer(enter(bucket(2)));
        Waiter keeping = enter(bucket(4).keeping(50));
        Decision behind = answer(enter(bucket(4)));

        waiters.waitingRoom.leave(keeping);

        pass(SECOND.multipliedBy(6));
        answer(enter(bucket(10)));
        behind.giveBack();
        assertThat(limiters.tryAcquire(bucket, "key").permitted()).isFalse();
    }

    @Test
    void permitsOfATurnThatCameBeforeTheOneInFrontWasGivenUpAreNotReturnedOnceTheyHaveLeaked() {
        answer(enter(bucket(3)));
        Waiter keeping = enter(bucket(4).keeping(50));
        Waiter behind = enter(bucket(4));
        pass(SECOND);
        Decision gone = answer(behind);

        waiters.waitingRoom.leave(keeping);

        pass(SECOND.multipliedBy(6));
        answer(enter(bucket(10)));
        gone.giveBack();
        assertThat(limiters.tryAcquire(bucket, "key").permitted()).isFalse();
    }

    @Test
    void permitsOfATurnThatMovedUpAreReturnedWhole() {
        answer(enter(bucket(10)));
        Waiter first = enter(bucket(4));
        Waiter second = enter(bucket(4));
        waiters.waitingRoom.leave(first);
        pass(SECOND.multipliedBy(4));
        Decision moved = answer(second);
        pass(SECOND.multipliedBy(6));

        moved.giveBack();

        assertThat(limiters.tryAcquire(bucket, "key", 10).permitted()).isTrue();
    }

    private record Grant(long time, long permits, Decision decision) {}

    /** A permit that is not returned counts from the turn of its request on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsNotReturnedIsWithinTheBoundOverEveryWindow(boolean paced) {
        for (int seed = 0; seed < 40; seed++) {
            Rule rule = paced
                    ? Rule.of(
                            "own" + seed,
                            Limit.leakyBucket(10, SECOND).burst(100).paced())
                    : Rule.of("own" + seed, Limit.tokenBucket(10, SECOND));
            List<Grant> kept = grants(rule, new SplittableRandom(seed));
            long atOnce = paced ? 3 : 10;
            for (int from = 0; from < kept.size(); from++) {
                long sum = 0;
                for (int to = from; to < kept.size(); to++) {
                    sum += kept.get(to).permits();
                    long nanos = kept.get(to).time() - kept.get(from).time();
                    assertThat(sum)
                            .as("seed %d, in %d ns", seed, nanos)
                            .isLessThanOrEqualTo(atOnce + (10 * nanos + SECOND.toNanos() - 1) / SECOND.toNanos());
                }
            }
        }
    }

    private List<Grant> grants(Rule rule, SplittableRandom random) {
        List<Waiter> waiting = new ArrayList<>();
        List<Grant> open = new ArrayList<>();
        List<Grant> kept = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            switch (random.nextInt(8)) {
                case 0, 1, 2 ->
                    waiting.add(enter(rule.charge("key", 1 + random.nextInt(3))
                            .keeping(random.nextInt(3) * 30)
                            .within(HOUR)));
                case 3 -> {
                    if (!waiting.isEmpty()) {
                        waiters.waitingRoom.leave(waiting.get(random.nextInt(waiting.size())));
                    }
                }
                case 4, 5 -> {
                    if (!open.isEmpty()) {
                        open.remove(random.nextInt(open.size())).decision().giveBack();
                    }
                }
                default -> goOn(time.now() + random.nextLong(SECOND.toNanos() / 2), waiting, open);
            }
            settle(waiting, open);
            while (open.size() > 8) {
                kept.add(open.remove(0));
            }
        }
        waiting.forEach(waiters.waitingRoom::leave);
        kept.addAll(open);
        kept.sort(Comparator.comparingLong(Grant::time));
        return kept;
    }

    private void goOn(long end, List<Waiter> waiting, List<Grant> granted) {
        for (long next = next(waiting); next <= end && !waiting.isEmpty(); next = next(waiting)) {
            time.set(Math.max(next, time.now()));
            waiters.timer.run();
            settle(waiting, granted);
        }
        time.set(Math.max(end, time.now()));
    }

    private void settle(List<Waiter> waiting, List<Grant> granted) {
        for (Waiter waiter : waiting) {
            if (waiter.isDone() && waiter.outcome().permitted()) {
                granted.add(new Grant(time.now(), waiter.charges.get(0).permits(), waiter.outcome()));
            }
        }
        waiting.removeIf(Waiter::isDone);
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
        Rule either = random.nextBoolean()
                ? Rule.of("bucket", Limit.tokenBucket(10, SECOND))
                : Rule.of("bucket", Limit.tokenBucket(7, SECOND).burst(20));
        Charge first = paced.charge("key", 1 + random.nextInt(3)).within(HOUR);
        Charge second = either.charge("key", 1 + random.nextInt(4))
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
