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
 * Lets requests wait for permits. A request takes one of two ways, by its charges: it waits for {@linkplain
 * ReservedTurns reserved turns}, or it stands in {@linkplain QueuedRequests queues}. Thread-safe. No lock is held while
 * a request waits, or while the storage or other code is called.
 */
public final class WaitingRoom {

    private final RateLimiterStorage storage;
    private final AsyncExecutor executor;
    private final List<WaitListener> listeners = new CopyOnWriteArrayList<>();
    final ReservedTurns turns;
    final QueuedRequests queued;

    /** Whether the storage reports releases to this; guarded by this. */
    private boolean listening;

    /** {@code executor}: completes futures, and so runs what depends on them. */
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

    /** The number of requests that wait. */
    public int size() {
        return turns.size() + queued.queues.size();
    }

    /** Whether a request with that charge that is rejected now would wait. */
    public boolean mayWait(Charge charge) {
        return !charge.maxWait().isZero() && turns.hasRoom(charge) && queued.hasRoom(charge);
    }

    /** Whether a request with that charge waits in a queue whose head tries again, and not for a reserved turn. */
    public boolean queues(Charge charge) {
        return Waiter.queues(charge);
    }

    public void onWait(WaitListener listener) {
        listeners.add(listener);
    }

    /** {@link #acquire(List)} for one permit; costs no more than a decision where a permit is there. */
    public Decision acquire(Rule rule, String key, Duration maxWait) {
        if (!storage.isRemote() && queued.queues.size() == 0) {
            Decision atOnce = storage.decide(rule, key, 1);
            if (atOnce.permitted()) {
                return atOnce;
            }
        }
        return acquire(List.of(rule.charge(key).maxWait(maxWait)));
    }

    /** Waits in the calling thread. An interrupt ends the wait with a rejection, and stays. */
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

    /** Nobody else completes the future, so this is there, or about to be. */
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
     * Waits without a thread. Cancelling the future, or completing it in another way, gives up.
     *
     * @param present asked before each attempt for a request that waits; false gives up
     */
    public CompletableFuture<Decision> acquireAsync(List<Charge> charges, BooleanSupplier present) {
        return acquireAsync(charges, present, listeners);
    }

    /** The same with a listener for this wait, in addition to those for all. */
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
        Way way = way(waiter);
        way.guard(waiter, () -> way.enter(waiter));
    }

    /** Gives up, unless the outcome is certain. */
    void giveUp(Waiter waiter) {
        way(waiter).giveUp(waiter);
    }

    private Way way(Waiter waiter) {
        return waiter.queues.isEmpty() ? turns : queued;
    }

    /** Rejects all that wait; from now on no request waits. */
    public void stop() {
        queued.close();
        turns.close();
    }

    /** Lets requests wait again. */
    public void start() {
        listen();
        queued.open();
        turns.open();
    }

    /** Stops, and hears of no release any more. */
    public synchronized void close() {
        stop();
        if (listening) {
            storage.removeReleaseListener(queued);
            listening = false;
        }
    }
}
