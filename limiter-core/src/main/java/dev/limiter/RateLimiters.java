package dev.limiter;

import dev.limiter.memory.InMemoryRateLimiterStorage;
import dev.limiter.spi.ReturningFuture;
import dev.limiter.waiting.AsyncExecutor;
import dev.limiter.waiting.WaitTimer;
import dev.limiter.waiting.WaitingRoom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests for permits; the main entry point. Thread-safe. With the in-memory storage, only {@code acquire}
 * blocks.
 *
 * <pre>{@code
 * RateLimiters limiters = RateLimiters.builder().maxKeys(100_000).build();
 * Decision decision = limiters.tryAcquire(checkout, "alice");
 * if (!decision.permitted()) { ... decision.retryAfter() ... }
 * }</pre>
 */
public final class RateLimiters implements AutoCloseable {

    private final RateLimiterStorage storage;
    private final WaitingRoom waitingRoom;
    private final AsyncExecutor handOver;

    /**
     * Creates limiters on a storage, which they close when closed. Futures are completed in the common pool. Several
     * limiters may share a storage: they share its limits, but each has its own queues.
     */
    public RateLimiters(RateLimiterStorage storage) {
        this(storage, WaitTimer.ofTheJdk(storage.clock()), AsyncExecutor.toCommonPool());
    }

    /**
     * Creates limiters on a storage, which they close when closed.
     *
     * @param executor see {@link Builder#executor}
     */
    public RateLimiters(RateLimiterStorage storage, Executor executor) {
        this(storage, WaitTimer.ofTheJdk(storage.clock()), new AsyncExecutor(executor));
    }

    RateLimiters(RateLimiterStorage storage, WaitTimer timer, AsyncExecutor handOver) {
        this.storage = storage;
        this.waitingRoom = new WaitingRoom(storage, timer, handOver);
        this.handOver = handOver;
    }

    /**
     * Takes one permit of {@code key} if it is available now; never waits for permits. A remote storage may block up to
     * its timeout, and its exceptions are propagated.
     */
    public Decision tryAcquire(Rule rule, String key) {
        LimitChecks.notNull(rule, key);
        return storage.decide(rule, key, 1);
    }

    /**
     * Runs {@code work} with one permit of {@code key}, and afterwards releases what it held of concurrency limits.
     * Never waits for permits. For work that throws checked exceptions or may wait, use {@link #acquire} in a
     * try-with-resources statement.
     *
     * @throws RateLimitExceededException if no permit is available now; {@code work} does not run
     */
    public <T extends @Nullable Object> T execute(Rule rule, String key, Supplier<T> work) {
        try (Decision decision = tryAcquire(rule, key)) {
            if (!decision.permitted()) {
                throw new RateLimitExceededException(decision);
            }
            return work.get();
        }
    }

    /** Does the same as {@link #execute(Rule, String, Supplier)}, for work without a result. */
    public void execute(Rule rule, String key, Runnable work) {
        execute(rule, key, () -> {
            work.run();
            return null;
        });
    }

    /**
     * Takes one permit of {@code key} if it is available now, and returns whether it was; never waits for permits. In
     * memory, this allocates nothing for buckets, fixed windows and concurrency limits. The permit cannot be returned,
     * so do not use this with concurrency limits.
     */
    public boolean tryTake(Rule rule, String key) {
        LimitChecks.notNull(rule, key);
        return storage.take(rule, key);
    }

    /**
     * Takes permits of {@code key} if they are available now; never waits for permits.
     *
     * @param permits 0 or more; 0 charges nothing, is always permitted, and returns the status of the key
     */
    public Decision tryAcquire(Rule rule, String key, long permits) {
        LimitChecks.notNull(rule, key);
        return storage.decide(rule, key, permits);
    }

    /** Takes all charges or none; never waits for permits. */
    public Decision tryAcquire(Charge... charges) {
        return storage.decide(List.of(charges));
    }

    /**
     * Does the same as {@link #tryAcquire(Rule, String)}, without blocking; see {@link #tryAcquireAsync(Charge...)}.
     */
    public CompletableFuture<Decision> tryAcquireAsync(Rule rule, String key) {
        LimitChecks.notNull(rule, key);
        return tryAcquireAsync(rule.charge(key));
    }

    /**
     * Takes all charges or none, without blocking; never waits for permits. In memory, the returned future is complete.
     * Otherwise the {@linkplain Builder#executor executor} completes it, exceptionally if the storage fails. If you
     * cancel the future, permits that are granted later are returned.
     */
    public CompletableFuture<Decision> tryAcquireAsync(Charge... charges) {
        return handedOver(storage.decideAsync(List.of(charges)));
    }

    private CompletableFuture<Decision> handedOver(CompletionStage<Decision> stage) {
        if (stage instanceof CompletableFuture<Decision> future && future.isDone()) {
            return future;
        }
        ReturningFuture<Decision> result = new ReturningFuture<>(Decision::giveBack);
        var unused = stage.whenComplete((decision, failure) -> handOver.execute(() -> {
            if (failure == null) {
                result.hand(decision);
            } else {
                result.completeExceptionally(failure);
            }
        }));
        return result;
    }

    /**
     * Takes one permit of {@code key}, blocking the calling thread for up to {@code maxWait} until its turn comes.
     * Requests are served in order of arrival. A request is rejected at once if it needs more permits than can ever be
     * granted, or if it predictably cannot be served in time.
     *
     * <p>Buckets and fixed windows grant a turn in advance. For concurrency limits, sliding windows and {@linkplain
     * Charge#refundable() refundable} charges, requests queue, and the head of the queue retries when permits become
     * free.
     *
     * <p>If the thread is interrupted or {@link #close()} is called, the request leaves the queue and is rejected; the
     * interrupt status is kept. Exceptions of a remote storage are propagated.
     */
    public Decision acquire(Rule rule, String key, Duration maxWait) {
        LimitChecks.notNull(rule, key);
        LimitChecks.waiting(rule, maxWait, 0);
        return waitingRoom.acquire(rule, key, maxWait);
    }

    /**
     * Takes all charges or none, waiting as in {@link #acquire(Rule, String, Duration)}. Only charges with a
     * {@linkplain Charge#maxWait(Duration) maximum wait} wait. A request with several such charges joins all their
     * queues at once, and retries when it is at the head of all. It waits at most for the shortest maximum.
     */
    public Decision acquire(List<Charge> charges) {
        return waitingRoom.acquire(List.copyOf(charges));
    }

    /**
     * Does the same as {@link #acquire(Rule, String, Duration)}, without blocking. The future is either complete when
     * returned, or completed by the {@linkplain Builder#executor executor} (by default the common pool), exceptionally
     * if the storage fails. If you cancel it, the request leaves the queue.
     */
    public CompletableFuture<Decision> acquireAsync(Rule rule, String key, Duration maxWait) {
        LimitChecks.notNull(rule, key);
        return waitingRoom.acquireAsync(List.of(rule.charge(key).maxWait(maxWait)), () -> true);
    }

    /**
     * Does the same as {@link #acquire(List)}, without blocking.
     *
     * @param present returns false if the client has gone, so that the next request gets the turn. Called when the turn
     *     comes and before each retry at the head of a queue; must not block.
     */
    public CompletableFuture<Decision> acquireAsync(List<Charge> charges, BooleanSupplier present) {
        return waitingRoom.acquireAsync(List.copyOf(charges), present);
    }

    /**
     * Does the same as {@link #acquire(List)}, without blocking.
     *
     * @param listener receives this wait, in addition to the listeners of {@link #onWait}
     */
    public CompletableFuture<Decision> acquireAsync(List<Charge> charges, WaitListener listener) {
        return waitingRoom.acquireAsync(List.copyOf(charges), () -> true, listener);
    }

    /** Returns the number of requests that wait on this instance. */
    public int waiting() {
        return waitingRoom.size();
    }

    /**
     * Returns whether a request that is rejected now would wait: its charge has a {@code maxWait}, and fewer than its
     * {@code maxWaiting} requests wait for the same rule and key on this instance.
     */
    public boolean mayWait(Charge charge) {
        return waitingRoom.mayWait(charge);
    }

    /**
     * Returns whether a request with this charge waits in a queue and retries at its head. If false, it waits for a turn
     * that the storage grants in advance, and is rejected at once if there is none in time.
     */
    public boolean queues(Charge charge) {
        return waitingRoom.queues(charge);
    }

    /** Registers a listener for requests that wait. */
    public void onWait(WaitListener listener) {
        waitingRoom.onWait(listener);
    }

    /** Rejects all waiting requests, and lets no request wait until {@link #startWaiting()} is called. */
    public void stopWaiting() {
        waitingRoom.stop();
    }

    /** Allows requests to wait again after {@link #stopWaiting()}. */
    public void startWaiting() {
        waitingRoom.start();
    }

    /** Returns the decision that {@link #tryAcquire(Rule, String)} would make now. Charges nothing. */
    public Decision peek(Rule rule, String key) {
        LimitChecks.notNull(rule, key);
        return storage.peek(rule, key);
    }

    /**
     * Does the same as {@link #peek}, without blocking; the future completes as in {@link #tryAcquireAsync(Charge...)}.
     */
    public CompletableFuture<Decision> peekAsync(Rule rule, String key) {
        LimitChecks.notNull(rule, key);
        return handedOver(storage.peekAsync(List.of(rule.charge(key))));
    }

    /**
     * Deletes the state of {@code key}. Held permits of a concurrency limit no longer count, and closing them releases
     * nothing. If a remote storage fails, its exception is propagated and the state remains.
     */
    public void reset(Rule rule, String key) {
        LimitChecks.notNull(rule, key);
        storage.reset(rule, key);
    }

    /** Returns the storage. */
    public RateLimiterStorage storage() {
        return storage;
    }

    /** Rejects all waiting requests and closes the storage. Later requests are still decided, but never wait. */
    @Override
    public void close() {
        try {
            waitingRoom.close();
        } finally {
            storage.close();
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Configures limiters with an in-memory storage. Not thread-safe. */
    public static final class Builder {

        private final List<RateLimiterStrategy> strategies = new ArrayList<>();
        private TimeSource timeSource = TimeSource.system();
        private long maxKeys = 100_000;
        private AsyncExecutor handOver = AsyncExecutor.toCommonPool();

        private Builder() {}

        /**
         * Sets how many states are kept, from 1 to 1,000,000,000; defaults to 100,000 and may be exceeded briefly by 1
         * %. Above that, keys that use little of their tightest limit are evicted first. Keys that are at their limit
         * or hold permits are evicted last.
         */
        public Builder maxKeys(long maxKeys) {
            LimitChecks.range("maxKeys", maxKeys, 1, 1_000_000_000);
            this.maxKeys = maxKeys;
            return this;
        }

        /** Sets the clock; defaults to {@link TimeSource#system()}. */
        public Builder timeSource(TimeSource timeSource) {
            this.timeSource = timeSource;
            return this;
        }

        /**
         * Sets the executor that completes the futures of {@code acquireAsync} and runs their continuations; defaults
         * to the common pool. Turns are granted without it, so a blocking continuation delays only other continuations.
         * If the executor rejects a task or would run it in the calling thread, the common pool runs it instead.
         */
        public Builder executor(Executor executor) {
            this.handOver = new AsyncExecutor(executor);
            return this;
        }

        /** Replaces the built-in strategy for an algorithm. */
        public Builder strategy(RateLimiterStrategy strategy) {
            strategies.add(strategy);
            return this;
        }

        public RateLimiters build() {
            RateLimiterStorage storage =
                    new InMemoryRateLimiterStorage(new RateLimiterFactory(strategies), timeSource, maxKeys);
            return new RateLimiters(storage, WaitTimer.ofTheJdk(storage.clock()), handOver);
        }
    }
}
