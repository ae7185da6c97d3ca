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

/**
 * The entry point: asks for permits. Thread-safe; with the storage in memory only {@code acquire} blocks.
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
     * Decides in {@code storage}, and closes it when closed; the common pool completes futures. Several may share a
     * storage: limits hold for all of them together, and each has queues of its own.
     */
    public RateLimiters(RateLimiterStorage storage) {
        this(storage, WaitTimer.ofTheJdk(storage.clock()), AsyncExecutor.toCommonPool());
    }

    /**
     * Decides in {@code storage}, and closes it when closed.
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
     * Takes one permit of {@code key} if it is available now; never waits. A remote storage may block for its time-out,
     * and its failure is thrown.
     */
    public Decision tryAcquire(Rule rule, String key) {
        return storage.decide(rule, key, 1);
    }

    /**
     * Takes one permit of {@code key} if it is available now, and tells only whether; never waits. The storage in
     * memory allocates nothing for that on limits whose state is one number (buckets, fixed windows, concurrency). The
     * permit cannot be given back, so this is not for concurrency limits.
     */
    public boolean tryTake(Rule rule, String key) {
        return storage.take(rule, key);
    }

    /**
     * Takes permits of {@code key} if they are available now; never waits.
     *
     * @param permits 0 or more; 0 charges nothing, is permitted, and tells where the key stands
     */
    public Decision tryAcquire(Rule rule, String key, long permits) {
        return storage.decide(rule, key, permits);
    }

    /** Takes all charges or none; never waits. */
    public Decision tryAcquire(Charge... charges) {
        return storage.decide(List.of(charges));
    }

    /**
     * The same as {@link #tryAcquire(Rule, String)} without blocking the caller; see {@link
     * #tryAcquireAsync(Charge...)}.
     */
    public CompletableFuture<Decision> tryAcquireAsync(Rule rule, String key) {
        return tryAcquireAsync(rule.charge(key));
    }

    /**
     * Takes all charges or none, without blocking the caller; never waits for permits. The future is complete when
     * returned if the storage is in memory, else the {@linkplain Builder#executor executor} completes it; cancelling it
     * gives back what is granted afterwards. The failure of a storage elsewhere completes it, too.
     */
    public CompletableFuture<Decision> tryAcquireAsync(Charge... charges) {
        return handedOver(storage.decideAsync(List.of(charges)));
    }

    private CompletableFuture<Decision> handedOver(CompletionStage<Decision> stage) {
        if (stage instanceof CompletableFuture<Decision> future && future.isDone()) {
            return future;
        }
        ReturningFuture<Decision> answer = new ReturningFuture<>(Decision::giveBack);
        var unused = stage.whenComplete((decision, failure) -> handOver.execute(() -> {
            if (failure == null) {
                answer.hand(decision);
            } else {
                answer.completeExceptionally(failure);
            }
        }));
        return answer;
    }

    /**
     * Takes one permit of {@code key}, and waits in the calling thread until it is its turn, for {@code maxWait} at
     * most. A request that cannot be served in time is rejected at once, as far as that can be told; so is one for more
     * permits than can ever be granted. First come, first served; no request leaves before its turn.
     *
     * <p>Buckets and fixed windows (the next one) reserve a turn. Requests for concurrency limits, sliding windows and
     * {@linkplain Charge#refundable() refundable} charges stand in a queue, and the head of it tries again when permits
     * become free. An interrupt ends the wait: the place is given up, the result is a rejection, and the interrupt
     * status stays. {@link #close()} ends the wait in the same way. The failure of a remote storage is thrown.
     */
    public Decision acquire(Rule rule, String key, Duration maxWait) {
        LimitChecks.waiting(rule, maxWait, 0);
        return waitingRoom.acquire(rule, key, maxWait);
    }

    /**
     * {@link #acquire(Rule, String, Duration)} for all charges or none. Only charges with a {@linkplain Charge#within
     * maximum wait} wait. A request that queues for several of them stands in all their queues at once, tries as the
     * head of all, and waits no longer than the shortest of their maximum waits.
     */
    public Decision acquire(List<Charge> charges) {
        return waitingRoom.acquire(List.copyOf(charges));
    }

    /**
     * The same as {@link #acquire(Rule, String, Duration)} without blocking the caller. The future is completed
     * by the {@linkplain Builder#executor executor}, by default in a thread of the common pool, or is complete when
     * returned; cancelling it gives the place back. The failure of a storage elsewhere completes it, too.
     */
    public CompletableFuture<Decision> acquireAsync(Rule rule, String key, Duration maxWait) {
        return waitingRoom.acquireAsync(List.of(rule.charge(key).within(maxWait)), () -> true);
    }

    /**
     * The same as {@link #acquire(List)} without blocking the caller.
     *
     * @param present checked when the turn comes, and before each attempt of the head of a queue, in a thread that must
     *     not be blocked: false gives the place to the next request
     */
    public CompletableFuture<Decision> acquireAsync(List<Charge> charges, BooleanSupplier present) {
        return waitingRoom.acquireAsync(List.copyOf(charges), present);
    }

    /**
     * The same as {@link #acquire(List)} without blocking the caller.
     *
     * @param listener receives this wait, in addition to those of {@link #onWait}
     */
    public CompletableFuture<Decision> acquireAsync(List<Charge> charges, WaitListener listener) {
        return waitingRoom.acquireAsync(List.copyOf(charges), () -> true, listener);
    }

    /** The number of waiters on this instance. */
    public int waiting() {
        return waitingRoom.size();
    }

    /**
     * Whether a request that is rejected now would wait: whether its charge has a {@code maxWait}, and fewer than its
     * {@code maxWaiting} wait for the same rule and key on this instance.
     */
    public boolean mayWait(Charge charge) {
        return waitingRoom.mayWait(charge);
    }

    /**
     * Whether a request with that charge waits in a queue whose head tries again. Otherwise it waits for a reserved turn:
     * the storage rejects it at once if there is none in time.
     */
    public boolean queues(Charge charge) {
        return waitingRoom.queues(charge);
    }

    /** Has a listener told of requests that wait from now on. */
    public void onWait(WaitListener listener) {
        waitingRoom.onWait(listener);
    }

    /** Rejects all waiters; from now on no request waits, until {@link #startWaiting()}. */
    public void stopWaiting() {
        waitingRoom.stop();
    }

    /** Lets requests wait again. */
    public void startWaiting() {
        waitingRoom.start();
    }

    /** The answer of {@link #tryAcquire(Rule, String)} now; charges nothing. */
    public Decision peek(Rule rule, String key) {
        return storage.peek(rule, key);
    }

    /** {@link #peek} without blocking the caller; completed as {@link #tryAcquireAsync(Charge...)} is. */
    public CompletableFuture<Decision> peekAsync(Rule rule, String key) {
        return handedOver(storage.peekAsync(List.of(rule.charge(key))));
    }

    /**
     * Forgets the use of {@code key}. Held permits of a concurrency limit are not counted from then on, and closing
     * them releases nothing. A storage elsewhere that does not answer fails with its exception, and the use that it
     * knows stays.
     */
    public void reset(Rule rule, String key) {
        storage.reset(rule, key);
    }

    /** The storage of the states. */
    public RateLimiterStorage storage() {
        return storage;
    }

    /** Rejects all waiting requests, and closes the storage. Later requests are decided as before, but never wait. */
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

    /** Options of limiters that decide in memory. Not thread-safe. */
    public static final class Builder {

        private final List<RateLimiterStrategy> strategies = new ArrayList<>();
        private TimeSource timeSource = TimeSource.system();
        private long maxKeys = 100_000;
        private AsyncExecutor handOver = AsyncExecutor.toCommonPool();

        private Builder() {}

        /**
         * The most states kept, from 1 to 1,000,000,000, default 100,000; for moments 1 % more. Beyond that, a key is
         * evicted that uses little of its tightest limit, and of few keys the one that uses least; a key at its limit,
         * or with held permits, stays as long as another one can go.
         */
        public Builder maxKeys(long maxKeys) {
            LimitChecks.range("maxKeys", maxKeys, 1, 1_000_000_000);
            this.maxKeys = maxKeys;
            return this;
        }

        /** The clock, default {@link TimeSource#system()}. */
        public Builder timeSource(TimeSource timeSource) {
            this.timeSource = timeSource;
            return this;
        }

        /**
         * Completes the futures of {@code acquireAsync}, and so runs their continuations; default the common pool.
         * Turns are given without it: a continuation that blocks delays no turn, only other continuations for which the
         * executor has no thread left. No task ever runs in the thread that hands it over; where the executor would do
         * that, or rejects it, the common pool runs it.
         */
        public Builder executor(Executor executor) {
            this.handOver = new AsyncExecutor(executor);
            return this;
        }

        /** Replaces the strategy of an algorithm. */
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
