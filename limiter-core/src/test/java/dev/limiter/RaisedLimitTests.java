package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.memory.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A concurrency limit that is raised while requests wait: they go by the limits of the requests that come later. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RaisedLimitTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiterStorage storage = new InMemoryRateLimiterStorage(new RateLimiterFactory(), time, 1000);
    private final RateLimiters limiters = new RateLimiters(storage);
    private final Threads threads = new Threads();
    private final Rule one = pool(1);

    private static Rule pool(long limit) {
        return Rule.of("pool", Limit.concurrency(limit));
    }

    @AfterEach
    void stopThreads() {
        threads.close();
    }

    private CompletableFuture<Decision> waits(Rule rule) {
        return limiters.acquireAsync(rule, "key", HOUR);
    }

    private List<Decision> hold(int permits) {
        return IntStream.range(0, permits)
                .mapToObj(i -> limiters.tryAcquire(pool(permits), "key"))
                .toList();
    }

    private static boolean isPermitted(CompletableFuture<Decision> future) {
        return future.join().permitted();
    }

    @Test
    void waitersAreLetInBeforeTheFirstNewcomer() {
        limiters.tryAcquire(one, "key");
        CompletableFuture<Decision> first = waits(one);
        CompletableFuture<Decision> second = waits(one);

        CompletableFuture<Decision> newcomer = waits(pool(4));

        assertThat(isPermitted(first)).isTrue();
        assertThat(isPermitted(second)).isTrue();
        assertThat(newcomer).isCompletedWithValueMatching(Decision::permitted);
        assertThat(limiters.waiting()).isZero();
        assertThat(limiters.peek(pool(4), "key").remaining()).isZero();
    }

    @Test
    void aNewcomerWaitsBehindThoseForWhomThereIsNoRoomEither() {
        limiters.tryAcquire(one, "key");
        CompletableFuture<Decision> first = waits(one);
        CompletableFuture<Decision> second = waits(one);

        CompletableFuture<Decision> newcomer = waits(pool(2));

        assertThat(isPermitted(first)).isTrue();
        assertThat(List.of(second, newcomer)).noneMatch(CompletableFuture::isDone);
        first.join().close();
        assertThat(isPermitted(second)).isTrue();
        assertThat(newcomer).isNotDone();
        second.join().close();
        assertThat(isPermitted(newcomer)).isTrue();
    }

    @Test
    void aNewcomerThatDoesNotWaitIsDecidedAfterThem() {
        limiters.tryAcquire(one, "key");
        CompletableFuture<Decision> first = waits(one);

        assertThat(limiters.acquire(pool(2), "key", Duration.ZERO).permitted()).isFalse();
        assertThat(isPermitted(first)).isTrue();
        assertThat(limiters.acquire(pool(3), "key", Duration.ZERO).permitted()).isTrue();
    }

    @Test
    void aWaiterThatFindsTheQueueOfARaisedLimitLaterGoesByItToo() {
        Rule other = Rule.of("other", Limit.concurrency(1));
        Decision held = limiters.tryAcquire(other, "key");
        limiters.tryAcquire(one, "key");
        CompletableFuture<Decision> both = limiters.acquireAsync(
                List.of(other.charge("key").within(HOUR), one.charge("key").within(HOUR)), () -> true);
        limiters.tryAcquire(pool(3), "key", 2);
        CompletableFuture<Decision> newcomer = waits(pool(3));
        held.close();
        assertThat(List.of(both, newcomer)).noneMatch(CompletableFuture::isDone);

        limiters.acquire(pool(5), "key", Duration.ZERO);

        assertThat(isPermitted(both)).isTrue();
        assertThat(isPermitted(newcomer)).isTrue();
    }

    @Test
    void aLowerLimitOfOthersLeavesWaitersTheirOwn() {
        limiters.tryAcquire(pool(3), "key", 3);
        CompletableFuture<Decision> waiter = waits(pool(3));
        CompletableFuture<Decision> lower = waits(one);

        limiters.reset(one, "key");

        assertThat(isPermitted(waiter)).isTrue();
        assertThat(lower).isNotDone();
        waiter.join().close();
        assertThat(isPermitted(lower)).isTrue();
    }

    @Test
    void aRaisedLimitStaysThatOfThoseBeforeItWhenItIsLoweredAgain() {
        List<Decision> held = hold(10);
        List<CompletableFuture<Decision>> raised = List.of(waits(pool(2)), waits(pool(2)), waits(pool(10)));
        CompletableFuture<Decision> lowered = waits(pool(2));

        held.subList(0, 5).forEach(Decision::close);

        assertThat(limiters.waiting()).isEqualTo(1);
        assertThat(raised).allMatch(RaisedLimitTests::isPermitted);
        assertThat(lowered).isNotDone();
        held.subList(5, 10).forEach(Decision::close);
        raised.subList(0, 2).forEach(waiter -> waiter.join().close());
        assertThat(isPermitted(lowered)).isTrue();
    }

    @Test
    void aRaisedLimitStaysThoughTheRequestThatBroughtItLeaves() {
        List<Decision> held = hold(10);
        CompletableFuture<Decision> first = waits(pool(2));
        CompletableFuture<Decision> second = waits(pool(2));
        waits(pool(10)).cancel(false);
        CompletableFuture<Decision> lowered = waits(pool(2));

        held.subList(0, 2).forEach(Decision::close);

        assertThat(limiters.waiting()).isEqualTo(1);
        assertThat(isPermitted(first)).isTrue();
        assertThat(isPermitted(second)).isTrue();
        lowered.cancel(false);
    }

    /** A model that walks through the whole line for each request. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void waitersGoByTheLargestOfTheirOwnLimitAndThoseOfRequestsBehindThem(long seed) {
        AlarmedWaiters waiters = new AlarmedWaiters(storage, time);
        Random random = new Random(seed);
        Map<Waiter, Integer> line = new LinkedHashMap<>();
        List<Waiter> inFlight = new ArrayList<>();
        for (int step = 0; step < 5_000; step++) {
            int action = random.nextInt(8);
            if (action < 3 && !inFlight.isEmpty()) {
                inFlight.remove(random.nextInt(inFlight.size())).outcome().close();
            } else if (action == 3 && !line.isEmpty()) {
                Waiter leaving = List.copyOf(line.keySet()).get(random.nextInt(line.size()));
                line.remove(leaving);
                waiters.waitingRoom.leave(leaving);
            } else if (action > 3) {
                int limit = 1 + random.nextInt(6);
                line.replaceAll((waiter, own) -> Math.max(own, limit));
                Duration maxWait = action == 4 ? Duration.ZERO : HOUR;
                Waiter newcomer =
                        waiters.enter(List.of(pool(limit).charge("key").within(maxWait)));
                line.put(newcomer, limit);
                letIn(line, inFlight);
                if (maxWait.isZero() && line.remove(newcomer) != null) {
                    assertThat(newcomer.outcome().permitted()).isFalse();
                }
            }
            letIn(line, inFlight);
            assertThat(line.keySet()).as("in line, step %d", step).noneMatch(Waiter::isDone);
            assertThat(inFlight)
                    .as("in flight, step %d", step)
                    .allMatch(waiter -> waiter.isDone() && waiter.outcome().permitted());
        }
    }

    private static void letIn(Map<Waiter, Integer> line, List<Waiter> inFlight) {
        Iterator<Map.Entry<Waiter, Integer>> next = line.entrySet().iterator();
        while (next.hasNext()) {
            Map.Entry<Waiter, Integer> first = next.next();
            if (inFlight.size() >= first.getValue()) {
                return;
            }
            inFlight.add(first.getKey());
            next.remove();
        }
    }

    @Test
    void aRuleThatHoldsNothingAnyLongerIsHeldUpByNobody() {
        limiters.tryAcquire(one, "key");
        CompletableFuture<Decision> waiter = waits(one);
        Rule bucket = Rule.of("pool", Limit.tokenBucket(10, HOUR));

        assertThat(limiters.acquire(bucket, "key", Duration.ZERO).permitted()).isTrue();

        assertThat(limiters.acquire(bucket, "key", HOUR).permitted()).isTrue();
        waiter.cancel(false);
    }

    @Test
    void waitersForAStorageElsewhereAreLetInToo() {
        ElsewhereStorage elsewhere = new ElsewhereStorage(storage);
        RateLimiters remote = new RateLimiters(elsewhere, new ManualTimer(), AsyncExecutor.toCommonPool());
        storage.decide(one, "key", 1);
        CompletableFuture<Decision> first = remote.acquireAsync(one, "key", HOUR);
        CompletableFuture<Decision> second = remote.acquireAsync(one, "key", HOUR);

        CompletableFuture<Decision> newcomer = remote.acquireAsync(pool(4), "key", HOUR);

        assertThat(isPermitted(first)).isTrue();
        assertThat(isPermitted(second)).isTrue();
        assertThat(isPermitted(newcomer)).isTrue();
        assertThat(remote.waiting()).isZero();
    }

    @Test
    void waitersForAStorageElsewhereGoByThoseBehindThemToo() {
        ElsewhereStorage elsewhere = new ElsewhereStorage(storage);
        AlarmedWaiters remote = new AlarmedWaiters(elsewhere, time);
        List<Waiter> inFlight = new ArrayList<>();
        List<Waiter> line = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            inFlight.add(remote.enter(List.of(pool(10).charge("key"))));
        }
        for (int limit : new int[] {2, 2, 10, 2}) {
            line.add(remote.enter(List.of(pool(limit).charge("key").within(HOUR))));
        }

        inFlight.subList(0, 5).forEach(waiter -> waiter.outcome().close());

        assertThat(line.subList(0, 3))
                .allMatch(waiter -> waiter.isDone() && waiter.outcome().permitted());
        assertThat(line.get(3).isDone()).isFalse();
    }

    /** Waiters under the limit before and under the one after come and go, while the limit is raised. */
    @Test
    @Tag("race")
    void allAreServedAndNeverTooManyAtOnce() {
        for (int round = 0; round < 300; round++) {
            String key = "key " + round;
            int raised = 2 + round % 4;
            List<Callable<CompletableFuture<Decision>>> tasks = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Rule rule = i % 2 == 0 ? one : pool(raised);
                tasks.add(() -> limiters.acquireAsync(rule, key, HOUR));
            }
            List<CompletableFuture<Decision>> open = new ArrayList<>(threads.race(tasks));
            int served = 0;
            while (!open.isEmpty()) {
                // a timer that has the queues for a moment serves what is released meanwhile
                until(() -> isSettled(pool(raised), key, open.size()));
                Decision next = (Decision) CompletableFuture.anyOf(open.toArray(CompletableFuture[]::new))
                        .join();
                open.removeIf(future -> future.isDone() && future.join() == next);
                assertThat(next.permitted()).isTrue();
                next.close();
                served++;
            }
            assertThat(served).as("served, round %d", round).isEqualTo(8);
            assertThat(limiters.peek(one, key).remaining()).isEqualTo(1);
        }
    }

    /** Waiters are still coming when the first request brings the limit that has room for all. */
    @Test
    @Tag("race")
    void nobodyStaysOnceThereIsRoomForAll() {
        for (int round = 0; round < 300; round++) {
            String key = "key " + round;
            List<Callable<CompletableFuture<Decision>>> tasks = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Rule rule = i % 2 == 0 ? one : pool(8);
                tasks.add(() -> limiters.acquireAsync(rule, key, HOUR));
            }
            List<CompletableFuture<Decision>> all = threads.race(tasks);

            limiters.acquire(pool(9), key, Duration.ZERO).close();

            assertThat(all).allMatch(RaisedLimitTests::isPermitted);
            assertThat(limiters.peek(pool(9), key).remaining()).as(key).isEqualTo(1);
            assertThat(limiters.waiting()).isZero();
        }
    }

    /** Each request waits or is counted, at least one is, and no more than may. */
    private boolean isSettled(Rule raised, String key, int open) {
        long most = raised.limits().get(0).limit();
        long inFlight = most - limiters.peek(raised, key).remaining();
        assertThat(open - limiters.waiting()).as("let in, %s", key).isLessThanOrEqualTo((int) most);
        return inFlight > 0 && limiters.waiting() + inFlight == open;
    }
}
