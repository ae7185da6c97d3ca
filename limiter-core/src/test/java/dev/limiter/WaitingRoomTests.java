package dev.limiter;

import static dev.limiter.Caller.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.ReleaseListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
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

    /** Adds a waiting request that the test ignores. */
    private void joins(Charge charge) {
        var unused = waiting(() -> limiters.acquireAsync(List.of(charge), () -> true));
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

    static Stream<UnaryOperator<RateLimiters.Builder>> executorsThatRunNothingElsewhere() {
        return Stream.of(
                builder -> builder,
                builder -> builder.executor(Runnable::run),
                builder -> builder.executor(task -> {
                    throw new RejectedExecutionException();
                }),
                builder -> builder.executor(task -> {
                    throw new OutOfMemoryError("unable to create native thread, on purpose");
                }));
    }

    @ParameterizedTest
    @MethodSource("executorsThatRunNothingElsewhere")
    void theCommonPoolCompletesFuturesByDefaultOrIfTheExecutorDoesNot(UnaryOperator<RateLimiters.Builder> executor) {
        assumeThat(ForkJoinPool.getCommonPoolParallelism()).isPositive();
        RateLimiters own =
                executor.apply(RateLimiters.builder().timeSource(time)).build();
        own.tryAcquire(paced, "key");
        CompletableFuture<Thread> completed =
                own.acquireAsync(paced, "key", HOUR).thenApply(decision -> Thread.currentThread());
        time.advance(SECOND);
        assertThat(completed.join()).isInstanceOf(ForkJoinWorkerThread.class);
        own.close();
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

    @Test
    void receivesAReleaseIfWaitingIsEnabledConcurrently() {
        Runnable[] onReading = {() -> {}};
        TimeSource interrupted = () -> {
            Runnable once = onReading[0];
            onReading[0] = () -> {};
            once.run();
            return time.epochNanos();
        };
        VirtualWaiting room =
                new VirtualWaiting(new InMemoryRateLimiterStorage(new RateLimiterFactory(), interrupted, 1000), time);
        Decision held = room.limiters.tryAcquire(pool, "key");
        room.limiters.stopWaiting();
        // read before the storage decides whether the request waits
        onReading[0] = room.limiters::startWaiting;
        VirtualWaiting.Request waiter = room.waiter(pool.charge("key").maxWait(HOUR));
        held.close();
        assertThat(waiter.isPermitted()).isTrue();
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
}
