package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.limiter.spi.ReleaseListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that wait in real threads and futures, with a clock that stands still: a request that waits too long never
 * returns.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingRoomTests {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final RateLimiters limiters =
            RateLimiters.builder().timeSource(time).build();
    private final Rule paced =
            Rule.of("paced", Limit.leakyBucket(1, SECOND).burst(10_000).paced());
    private final Rule pool = Rule.of("pool", Limit.concurrency(1));

    private Caller caller(Rule rule) {
        return caller(rule.charge("key").maxWait(HOUR));
    }

    private Caller caller(Charge... charges) {
        return waiting(() -> new Caller(() -> limiters.acquire(List.of(charges))));
    }

    private CompletableFuture<Decision> future(Charge... charges) {
        return limiters.acquireAsync(List.of(charges), () -> true);
    }

    /** Adds a waiting request that the test ignores. */
    private void joins(Charge charge) {
        var unused = waiting(() -> future(charge));
    }

    /** Runs {@code arrival} until it has added a waiting request, and returns its result. */
    private <T> T waiting(Supplier<T> arrival) {
        int before = limiters.waiting();
        T one = arrival.get();
        until(() -> limiters.waiting() == before + 1);
        return one;
    }

    private void pass(Duration step, int waiting) {
        time.advance(step);
        until(() -> limiters.waiting() == waiting);
    }

    @Test
    void blocksUntilTheTurnComes() {
        assertThat(limiters.acquire(paced, "key", HOUR).permitted()).isTrue();
        Caller caller = caller(paced);

        pass(SECOND, 0);

        assertThat(caller.decision().permitted()).isTrue();
        assertThat(caller.decision().delay()).isEqualTo(SECOND);
        assertThat(caller.wasInterrupted()).isFalse();
    }

    @Test
    void firstComeFirstServed() {
        limiters.tryAcquire(paced, "key");
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            callers.add(caller(paced));
        }
        for (int i = 0; i < 5; i++) {
            pass(SECOND, 4 - i);
            assertThat(callers.get(i).decision().permitted()).isTrue();
            assertThat(callers).filteredOn(Caller::isDone).hasSize(i + 1);
        }
    }

    @Test
    void firstComeFirstServedOnRelease() {
        Decision held = limiters.tryAcquire(pool, "key");
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            callers.add(caller(pool));
        }
        for (Caller caller : callers) {
            held.close();
            held = caller.decision();
            assertThat(held.permitted()).isTrue();
            assertThat(limiters.peek(pool, "key").remaining()).isZero();
        }
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void interruptedRequestLeavesAndLaterTurnsStay() {
        limiters.tryAcquire(paced, "key");
        Caller first = caller(paced);
        Caller second = caller(paced);
        Caller third = caller(paced);

        second.interrupt();

        assertThat(second.decision().permitted()).isFalse();
        assertThat(second.decision().rule()).isEqualTo(paced);
        assertThat(second.wasInterrupted()).isTrue();
        pass(SECOND, 1);
        assertThat(first.decision().permitted()).isTrue();
        pass(SECOND, 1);
        pass(SECOND, 0);
        assertThat(third.decision().permitted()).isTrue();
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND);
    }

    @Test
    void interruptOfARequestThatWaitsForARelease() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        Decision held = limiters.tryAcquire(two, "key");
        Caller both = caller(two.charge("key", 2).maxWait(HOUR));
        Caller one = caller(two.charge("key").maxWait(HOUR));

        both.interrupt();

        assertThat(both.decision().permitted()).isFalse();
        assertThat(both.wasInterrupted()).isTrue();
        assertThat(one.decision().permitted()).isTrue();
        one.decision().close();
        held.close();
        assertThat(limiters.peek(two, "key").remaining()).isEqualTo(2);
    }

    @Test
    void interruptedThreadGetsAvailablePermitsButDoesNotWait() {
        Caller lucky = new Caller(() -> acquireInterrupted(paced));
        assertThat(lucky.decision().permitted()).isTrue();
        assertThat(lucky.wasInterrupted()).isTrue();

        Caller unlucky = new Caller(() -> acquireInterrupted(paced));
        assertThat(unlucky.decision().permitted()).isFalse();
        assertThat(unlucky.wasInterrupted()).isTrue();
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND);
    }

    private Decision acquireInterrupted(Rule rule) {
        Thread.currentThread().interrupt();
        return limiters.acquire(rule, "key", HOUR);
    }

    @Test
    void cancelledFutureLeavesAndLaterTurnsStay() {
        limiters.tryAcquire(paced, "key");
        CompletableFuture<Decision> first = limiters.acquireAsync(paced, "key", HOUR);
        CompletableFuture<Decision> second = limiters.acquireAsync(paced, "key", HOUR);
        CompletableFuture<Decision> third = limiters.acquireAsync(paced, "key", HOUR);

        second.cancel(false);

        assertThatThrownBy(second::join).isInstanceOf(CancellationException.class);
        pass(SECOND, 1);
        assertThat(first.join().permitted()).isTrue();
        pass(SECOND, 1);
        pass(SECOND, 0);
        assertThat(third.join().permitted()).isTrue();
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND);
    }

    @Test
    void futuresAreCompletedByExistingThreads() {
        assumeThat(ForkJoinPool.getCommonPoolParallelism()).isPositive();
        limiters.tryAcquire(paced, "key");
        CompletableFuture<Thread> completed =
                limiters.acquireAsync(paced, "key", HOUR).thenApply(decision -> Thread.currentThread());
        time.advance(SECOND);
        assertThat(completed.join()).isInstanceOf(ForkJoinWorkerThread.class);
    }

    @Test
    void aContinuationThatBlocksDelaysNoOtherWithAnExecutorOfThreads() throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        Executor threads = task -> new Thread(task).start();
        RateLimiters own =
                RateLimiters.builder().timeSource(time).executor(threads).build();
        own.tryAcquire(paced, "key");
        List<CompletableFuture<Decision>> blocked = new ArrayList<>();
        for (int i = 0; i <= ForkJoinPool.getCommonPoolParallelism(); i++) {
            blocked.add(own.acquireAsync(paced, "key", HOUR).thenApply(decision -> {
                awaitUninterruptibly(over);
                return decision;
            }));
        }
        CompletableFuture<Decision> next = own.acquireAsync(paced, "key", HOUR);

        time.advance(SECOND.multipliedBy(blocked.size() + 1L));

        assertThat(next.thenApply(Decision::permitted).join()).isTrue();
        assertThat(blocked).noneMatch(CompletableFuture::isDone);
        over.countDown();
        blocked.forEach(CompletableFuture::join);
        own.close();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aBlockedExecutorDelaysNoTurn() {
        List<Runnable> handedOver = new CopyOnWriteArrayList<>();
        RateLimiters own = RateLimiters.builder()
                .timeSource(time)
                .executor(handedOver::add)
                .build();
        own.tryAcquire(paced, "key");
        CompletableFuture<Decision> future = own.acquireAsync(paced, "key", HOUR);
        Caller caller = new Caller(() -> own.acquire(paced, "key", HOUR));
        until(() -> own.waiting() == 2);

        time.advance(SECOND.multipliedBy(2));

        assertThat(caller.decision().permitted()).isTrue();
        until(() -> own.waiting() == 0);
        assertThat(future).isNotDone();
        until(() -> !handedOver.isEmpty());
        handedOver.forEach(Runnable::run);
        assertThat(future.join().permitted()).isTrue();
        own.close();
    }

    static Stream<Executor> executorsThatRunNothingElsewhere() {
        return Stream.of(
                Runnable::run,
                task -> {
                    throw new RejectedExecutionException();
                },
                task -> {
                    throw new OutOfMemoryError("unable to create native thread, on purpose");
                });
    }

    @ParameterizedTest
    @MethodSource("executorsThatRunNothingElsewhere")
    void theCommonPoolCompletesFuturesOfASameThreadExecutor(Executor executor) {
        assumeThat(ForkJoinPool.getCommonPoolParallelism()).isPositive();
        RateLimiters own =
                RateLimiters.builder().timeSource(time).executor(executor).build();
        own.tryAcquire(paced, "key");
        CompletableFuture<Thread> completed =
                own.acquireAsync(paced, "key", HOUR).thenApply(decision -> Thread.currentThread());
        time.advance(SECOND);
        assertThat(completed.join()).isInstanceOf(ForkJoinWorkerThread.class);
        own.close();
    }

    @Test
    void bothLimitersOfAStorageReceiveReleases() {
        RateLimiters second = new RateLimiters(limiters.storage());
        Decision held = limiters.tryAcquire(pool, "key");
        CompletableFuture<Decision> before = waiting(() -> limiters.acquireAsync(pool, "key", HOUR));
        held.close();
        held = before.join();
        assertThat(held.permitted()).isTrue();

        CompletableFuture<Decision> waits = second.acquireAsync(pool, "key", HOUR);
        held.close();
        assertThat(waits.join().permitted()).isTrue();
    }

    /** Records its listeners. */
    private static final class Listened extends DelegatingStorage {

        private final Set<ReleaseListener> listeners = new HashSet<>();

        Listened(RateLimiterStorage storage) {
            super(storage);
        }

        @Override
        public void onRelease(ReleaseListener listener) {
            listeners.add(listener);
        }

        @Override
        public void removeReleaseListener(ReleaseListener listener) {
            listeners.remove(listener);
        }
    }

    private void queue(RateLimiters limiters) {
        assertThat(limiters.acquireAsync(paced, "key", HOUR)).isNotNull();
    }

    @Test
    void closingRemovesTheListenerFromTheStorage() {
        Listened storage = new Listened(limiters.storage());
        RateLimiters first = new RateLimiters(storage);
        RateLimiters second = new RateLimiters(storage);
        assertThat(storage.listeners).hasSize(2);
        first.stopWaiting();
        first.startWaiting();
        assertThat(storage.listeners).hasSize(2);
        first.close();
        queue(first);
        assertThat(storage.listeners).as("a closed one has no queue").hasSize(1);
        first.startWaiting();
        queue(first);
        assertThat(storage.listeners).as("waits again").hasSize(2);
        first.close();
        second.close();
        assertThat(storage.listeners).isEmpty();
    }

    @Test
    void cancellingAfterTheDecisionChangesNothing() {
        CompletableFuture<Decision> held = limiters.acquireAsync(pool, "key", HOUR);
        assertThat(held.cancel(false)).isFalse();
        assertThat(held.join().permitted()).isTrue();
        assertThat(limiters.peek(pool, "key").permitted()).isFalse();
    }

    @Test
    void completingTheFutureRemovesTheRequest() {
        List<Consumer<CompletableFuture<Decision>>> others = List.of(
                future -> future.complete(null),
                future -> future.complete(limiters.peek(paced, "key")),
                future -> future.completeExceptionally(new IllegalStateException()),
                future -> future.orTimeout(0, TimeUnit.NANOSECONDS),
                future -> future.completeOnTimeout(null, 0, TimeUnit.NANOSECONDS));
        Decision held = limiters.tryAcquire(pool, "key");
        limiters.tryAcquire(paced, "key");
        for (Consumer<CompletableFuture<Decision>> other : others) {
            for (Rule rule : List.of(pool, paced)) {
                other.accept(waiting(() -> limiters.acquireAsync(rule, "key", HOUR)));
                until(() -> limiters.waiting() == 0);
            }
        }
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND);
        held.close();
        assertThat(limiters.peek(pool, "key").permitted()).isTrue();
    }

    @Test
    void turnOfAClientThatHasGoneStaysUnused() {
        limiters.tryAcquire(paced, "key");
        Charge charge = paced.charge("key").maxWait(HOUR);
        AtomicInteger checks = new AtomicInteger();
        CompletableFuture<Decision> gone = limiters.acquireAsync(List.of(charge), () -> checks.incrementAndGet() == 0);
        CompletableFuture<Decision> second = future(charge);
        CompletableFuture<Decision> third = future(charge);

        pass(SECOND, 2);

        assertThat(gone.join().permitted()).isFalse();
        assertThat(checks).hasValue(1);
        pass(SECOND, 1);
        assertThat(second.join().permitted()).isTrue();
        pass(SECOND, 0);
        assertThat(third.join().permitted()).isTrue();
    }

    @Test
    void releaseIsNotGrantedToAClientThatHasGone() {
        Decision held = limiters.tryAcquire(pool, "key");
        Charge charge = pool.charge("key").maxWait(HOUR);
        CompletableFuture<Decision> gone = limiters.acquireAsync(List.of(charge), () -> false);
        CompletableFuture<Decision> next = future(charge);

        held.close();

        assertThat(gone.join().permitted()).isFalse();
        assertThat(next.join().permitted()).isTrue();
    }

    @Test
    void requestWithAFailingPresenceCheckIsRejectedWithoutAffectingOthers() {
        Decision held = limiters.tryAcquire(pool, "key");
        limiters.tryAcquire(paced, "key");
        List<CompletableFuture<Decision>> failing = new ArrayList<>();
        for (Rule rule : List.of(pool, paced)) {
            failing.add(limiters.acquireAsync(List.of(rule.charge("key").maxWait(HOUR)), () -> {
                throw new IllegalStateException("no request");
            }));
            failing.add(limiters.acquireAsync(List.of(rule.charge("key").maxWait(HOUR)), () -> {
                throw new NoClassDefFoundError("on purpose");
            }));
        }
        CompletableFuture<Decision> next = limiters.acquireAsync(pool, "key", HOUR);

        held.close();
        time.advance(SECOND.multipliedBy(2));

        assertThat(failing).allMatch(future -> !future.join().permitted());
        assertThat(next.join().permitted()).isTrue();
        assertThat(limiters.waiting()).isZero();
    }

    @Test
    void requestThatCannotBeServedInTimeIsRejectedAtOnce() {
        limiters.tryAcquire(paced, "key");
        Duration tooShort = SECOND.minusNanos(1);

        Decision rejected = limiters.acquire(paced, "key", tooShort);

        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.retryAfter()).contains(Duration.ofNanos(1));
        assertThat(limiters.acquireAsync(paced, "key", tooShort)).isDone();
        assertThat(limiters.acquire(paced, "key", Duration.ZERO).permitted()).isFalse();
        assertThat(limiters.waiting()).isZero();
        assertThat(limiters.peek(paced, "key").retryAfter()).contains(SECOND);
    }

    @Test
    void requestForAFullQueueIsRejectedAtOnce() {
        Charge inTurn = paced.charge("key").maxWait(HOUR).maxWaiting(2);
        Charge forRelease = pool.charge("key").maxWait(HOUR).maxWaiting(2);
        limiters.tryAcquire(inTurn, forRelease);
        for (Charge charge : List.of(inTurn, forRelease)) {
            joins(charge);
            joins(charge);
            assertThat(limiters.acquire(List.of(charge)).permitted()).isFalse();
            assertThat(limiters.acquire(List.of(charge.maxWaiting(0))).permitted())
                    .isFalse();
        }
        assertThat(limiters.waiting()).isEqualTo(4);
    }

    @Test
    void waitingRequestsCountForTheirOwnKeyIfKeysShareAState() {
        RateLimiters small = RateLimiters.builder().timeSource(time).maxKeys(1).build();
        for (Rule rule : List.of(paced, pool)) {
            small.tryAcquire(rule, "first");
            small.tryAcquire(rule, "shared");
            Charge charge = rule.charge("one").maxWait(HOUR).maxWaiting(2);
            Charge other = rule.charge("other").maxWait(HOUR).maxWaiting(1);
            List<CompletableFuture<Decision>> waiting = List.of(
                    small.acquireAsync(List.of(charge), () -> true),
                    small.acquireAsync(List.of(charge), () -> true),
                    small.acquireAsync(List.of(other), () -> true));
            assertThat(waiting).as("%s", rule).noneMatch(CompletableFuture::isDone);

            assertThat(small.mayWait(charge)).as("%s", rule).isFalse();
            assertThat(small.mayWait(other)).as("%s", rule).isFalse();
            assertThat(small.acquireAsync(List.of(charge), () -> true))
                    .as("%s", rule)
                    .isDone();
            assertThat(small.acquireAsync(List.of(other), () -> true))
                    .as("%s", rule)
                    .isDone();

            waiting.forEach(one -> one.cancel(false));
            assertThat(small.mayWait(charge)).as("%s", rule).isTrue();
            assertThat(small.mayWait(other)).as("%s", rule).isTrue();
        }
        small.close();
    }

    @Test
    void aQueueOfLengthZeroIsAlwaysFull() {
        limiters.tryAcquire(paced.charge("key"), pool.charge("key"));
        for (Rule rule : List.of(paced, pool)) {
            Charge charge = rule.charge("key").maxWait(HOUR).maxWaiting(0);
            assertThat(limiters.acquire(List.of(charge)).permitted()).isFalse();
        }
    }

    @Test
    void aPacedLimitLetsNoMoreWaitThanItsBurst() {
        Rule three = Rule.of("three", Limit.leakyBucket(1, SECOND).burst(3).paced());
        limiters.tryAcquire(three, "key");
        for (int i = 0; i < 3; i++) {
            joins(three.charge("key").maxWait(HOUR));
        }
        Decision rejected = limiters.acquire(three, "key", HOUR);
        assertThat(rejected.permitted()).isFalse();
        assertThat(rejected.retryAfter()).contains(SECOND);
        assertThat(limiters.waiting()).isEqualTo(3);
    }

    @Test
    void moreThanCanEverBeGrantedIsRejectedAtOnce() {
        Decision held = limiters.tryAcquire(pool, "key");
        for (int others = 0; others < 2; others++) {
            Decision never = limiters.acquire(List.of(pool.charge("key", 2).maxWait(HOUR)));
            assertThat(never.permitted()).isFalse();
            assertThat(never.never()).isTrue();
            joins(pool.charge("key").maxWait(HOUR));
        }
        held.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListOfChargesThatIsChangedAfterwardsChangesNoWaiter(boolean thread) {
        Decision held = limiters.tryAcquire(pool, "key");
        List<Charge> charges = new ArrayList<>(List.of(pool.charge("key").maxWait(HOUR)));
        CompletableFuture<Decision> waiting = waiting(() -> thread
                ? CompletableFuture.supplyAsync(() -> limiters.acquire(charges), task -> new Thread(task).start())
                : limiters.acquireAsync(charges, () -> true));

        charges.clear();
        charges.add(pool.charge("another").maxWait(HOUR));
        held.close();

        assertThat(waiting.join().permitted()).isTrue();
        assertThat(limiters.peek(pool, "key").permitted()).isFalse();
        assertThat(limiters.peek(pool, "another").permitted()).isTrue();
    }

    @Test
    void costZeroIsPermittedWhileOthersWait() {
        limiters.tryAcquire(pool, "key");
        joins(pool.charge("key").maxWait(HOUR));
        assertThat(limiters.acquire(List.of(pool.charge("key", 0).maxWait(HOUR)))
                        .permitted())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stoppingCompletesAThousandRequests(boolean close) throws InterruptedException {
        RateLimiters limiters = RateLimiters.builder().build();
        Rule hourly = Rule.of("hourly", Limit.leakyBucket(1, HOUR).burst(10_000).paced());
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(5, HOUR));
        List<Rule> rules = List.of(hourly, bucket, pool);
        rules.forEach(rule -> limiters.tryAcquire(
                rule,
                "key",
                rule.limits().get(0).capacity() > 9 ? 1 : rule.limits().get(0).capacity()));
        List<Caller> callers = new ArrayList<>();
        List<CompletableFuture<Decision>> futures = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Charge charge = rules.get(i % 3).charge("key").maxWait(Duration.ofDays(1000));
            callers.add(new Caller(() -> limiters.acquire(List.of(charge))));
            futures.add(limiters.acquireAsync(List.of(charge), () -> true));
        }
        until(() -> limiters.waiting() == 1000);

        if (close) {
            limiters.close();
        } else {
            limiters.stopWaiting();
        }

        for (Caller caller : callers) {
            assertThat(caller.decision().permitted()).isFalse();
            assertThat(caller.wasInterrupted()).isFalse();
            caller.join();
        }
        assertThat(futures).allMatch(future -> !future.join().permitted());
        assertThat(limiters.waiting()).isZero();
        for (Rule rule : rules) {
            assertThat(limiters.acquire(rule, "key", HOUR).permitted()).isFalse();
            assertThat(limiters.acquireAsync(rule, "key", HOUR)).isDone();
        }
        limiters.startWaiting();
        CompletableFuture<Decision> again = limiters.acquireAsync(pool, "key", HOUR);
        assertThat(limiters.waiting()).isEqualTo(1);
        again.cancel(false);
    }

    @Test
    void stoppingPermitsNoRequestInsteadOfThoseThatLeave() {
        Rule two = Rule.of("two", Limit.concurrency(2));
        Rule both = Rule.of(
                "both",
                Limit.concurrency(1).named("inFlight"),
                Limit.leakyBucket(1, SECOND).burst(9).paced().named("rate"));
        limiters.tryAcquire(two, "key");
        limiters.tryAcquire(both, "key").close();
        List<CompletableFuture<Decision>> futures = List.of(
                future(two.charge("key", 2).maxWait(HOUR)),
                future(two.charge("key").maxWait(HOUR)),
                future(both.charge("key").maxWait(HOUR)),
                future(both.charge("key").maxWait(HOUR)));

        limiters.stopWaiting();

        assertThat(futures).allMatch(future -> !future.join().permitted());
        assertThat(limiters.peek(two, "key").remaining()).isEqualTo(1);
        assertThat(limiters.peek(both, "key").limits())
                .extracting(LimitStatus::permitted)
                .containsExactly(true, false);
    }
}
