package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import dev.limiter.WaitListener;
import dev.limiter.spi.PermitArithmetic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests wait for permits. Depending on its charges, a request waits for {@linkplain ReservedTurns reserved
 * turns} or in {@linkplain QueuedRequests queues}. Thread-safe. No lock is held while a request waits, or during calls
 * to the storage or other code.
 */
public final class WaitingRoom {

    private final RateLimiterStorage storage;
    private final AsyncExecutor executor;
    private final List<WaitListener> listeners = new CopyOnWriteArrayList<>();
    final ReservedTurns turns;
    final QueuedRequests queued;

    /** Whether the storage reports releases to this object; guarded by this. */
    private boolean listening;

    /** Creates a waiting room; {@code executor} completes futures and runs their continuations. */
    public WaitingRoom(RateLimiterStorage storage, WaitTimer timer, AsyncExecutor executor) {
        this(storage, timer, executor, new ReentrantLock());
    }

    WaitingRoom(RateLimiterStorage storage, WaitTimer timer, AsyncExecutor executor, ReentrantLock lock) {
        this.storage = storage;
        this.executor = executor;
        this.turns = new ReservedTurns(storage, timer, lock);
        this.queued = new QueuedRequests(storage, timer, lock);
        listen();
    }

    private synchronized void listen() {
        if (!listening) {
            storage.onRelease(queued);
            listening = true;
        }
    }

    /** Returns the number of waiting requests. */
    public int size() {
        return turns.size() + queued.queues.size();
    }

    /** Returns whether a request with this charge would wait if it were rejected now. */
    public boolean mayWait(Charge charge) {
        return !charge.maxWait().isZero() && turns.hasRoom(charge) && queued.hasRoom(charge);
    }

    /**
     * Returns whether a request with this charge waits in a queue and retries at its head, instead of for a reserved turn.
     */
    public boolean queues(Charge charge) {
        return Waiter.queues(charge);
    }

    public void onWait(WaitListener listener) {
        listeners.add(listener);
    }

    /** Does the same as {@link #acquire(List)} for one permit, as fast as a plain decision if a permit is available. */
    public Decision acquire(Rule rule, String key, Duration maxWait) {
        if (!storage.isRemote() && queued.queues.size() == 0) {
            Decision atOnce = storage.decide(rule, key, 1);
            if (atOnce.permitted()) {
                return atOnce;
            }
        }
        return acquire(List.of(rule.charge(key).maxWait(maxWait)));
    }

    /** Waits in the calling thread. An interrupt ends the wait with a rejection; the interrupt status is kept. */
    public Decision acquire(List<Charge> charges) {
        Waiter waiter = enter(charges, () -> true, Runnable::run, listeners);
        try {
            return outcome(waiter);
        } catch (InterruptedException e) {
            giveUp(waiter);
            Thread.currentThread().interrupt();
            return rejected(waiter);
        }
    }

    private static Decision outcome(Waiter waiter) throws InterruptedException {
        try {
            return waiter.future.get();
        } catch (ExecutionException e) {
            throw unchecked(e.getCause());
        }
    }

    /** Returns the result after giving up. Only this class completes the future, so it is complete, or about to be. */
    private static Decision rejected(Waiter waiter) {
        try {
            return waiter.future.join();
        } catch (CompletionException e) {
            throw unchecked(e.getCause());
        }
    }

    private static RuntimeException unchecked(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception ? exception : new CompletionException(failure);
    }

    /**
     * Waits without a thread. If the caller cancels or completes the future, the request gives up.
     *
     * @param present called before each attempt of a waiting request; false gives up
     */
    public CompletableFuture<Decision> acquireAsync(List<Charge> charges, BooleanSupplier present) {
        return acquireAsync(charges, present, listeners);
    }

    /** Does the same, with an additional listener for this wait. */
    public CompletableFuture<Decision> acquireAsync(
            List<Charge> charges, BooleanSupplier present, WaitListener listener) {
        List<WaitListener> all = new ArrayList<>(listeners);
        all.add(listener);
        return acquireAsync(charges, present, all);
    }

    private CompletableFuture<Decision> acquireAsync(
            List<Charge> charges, BooleanSupplier present, List<WaitListener> listeners) {
        Waiter waiter = enter(charges, present, executor::execute, listeners);
        var unused = waiter.future.whenComplete((decision, failure) -> {
            waiter.endWithoutAnswer();
            giveUp(waiter);
        });
        return waiter.future;
    }

    private Waiter enter(
            List<Charge> charges, BooleanSupplier present, Executor completing, List<WaitListener> listeners) {
        Waiter waiter =
                new Waiter(PermitArithmetic.merged(charges), storage.clock().epochNanos(), present, completing);
        enter(waiter);
        waiter.entered(listeners);
        return waiter;
    }

    void enter(Waiter waiter) {
        WaitingStrategy strategy = strategy(waiter);
        strategy.guard(waiter, () -> strategy.enter(waiter));
    }

    /** Makes the request give up, unless its outcome is final. */
    void giveUp(Waiter waiter) {
        strategy(waiter).giveUp(waiter);
    }

    private WaitingStrategy strategy(Waiter waiter) {
        return waiter.queues.isEmpty() ? turns : queued;
    }

    /** Rejects all waiting requests; later requests do not wait. */
    public void stop() {
        queued.close();
        turns.close();
    }

    /** Allows requests to wait again. */
    public void start() {
        listen();
        queued.open();
        turns.open();
    }

    /** Stops waiting, and unregisters from the storage. */
    public synchronized void close() {
        stop();
        if (listening) {
            storage.removeReleaseListener(queued);
            listening = false;
        }
    }
}
