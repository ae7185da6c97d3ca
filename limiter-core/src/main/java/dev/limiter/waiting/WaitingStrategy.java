package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.TimeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Base class of both ways to wait. Thread-safe; calls the storage and other code without the lock. Their exceptions
 * fail the request, but not the calling thread.
 */
abstract class WaitingStrategy {

    final RateLimiterStorage storage;
    final TimeSource clock;
    final ReentrantLock lock;
    volatile boolean closed;

    private final WaitTimer timer;

    WaitingStrategy(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        this.storage = storage;
        this.clock = storage.clock();
        this.timer = timer;
        this.lock = lock;
    }

    /** Decides on a request, or makes it wait. */
    abstract void enter(Waiter waiter);

    /** Rejects a request, unless its outcome is final. */
    abstract void giveUp(Waiter waiter);

    abstract void fail(Waiter waiter, Throwable failure);

    /** Handles the timer of a request. */
    abstract void onTimer(Waiter waiter);

    /** Returns all waiting requests, in order. Requires the lock. */
    abstract List<Waiter> waiters();

    /** Removes a request that no longer waits; returns the requests to try next. Requires the lock. */
    abstract List<Waiter> remove(Waiter waiter);

    /** Calls the storage. {@code then} receives a decision or a failure, in this thread if it is available at once. */
    final void callStorage(
            Waiter waiter,
            Function<List<Charge>, CompletionStage<Decision>> storage,
            List<Charge> charges,
            BiConsumer<@Nullable Decision, @Nullable Throwable> then) {
        var unused = call(storage, charges)
                .whenComplete((decision, failure) -> guard(waiter, () -> {
                    boolean nothing = decision == null && failure == null;
                    then.accept(
                            decision,
                            nothing ? new IllegalStateException("The storage returned no decision") : failure);
                }));
    }

    private static CompletionStage<Decision> call(
            Function<List<Charge>, CompletionStage<Decision>> storage, List<Charge> charges) {
        try {
            return storage.apply(charges);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Runs a step for a request; an exception, for example of a clock, fails the request. */
    final void guard(Waiter waiter, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            fail(waiter, e);
        }
    }

    /** Requires the lock. */
    final void setTimer(Waiter waiter, long due) {
        waiter.cancelTimer.run();
        waiter.due = due;
        waiter.cancelTimer = timer.after(Math.max(due - clock.epochNanos(), 0), () -> timerFired(waiter));
    }

    /** Called by the timer, possibly too early if the clock is not the system's. */
    final void timerFired(Waiter waiter) {
        guard(waiter, () -> {
            if (isDue(waiter, clock.epochNanos())) {
                onTimer(waiter);
            }
        });
    }

    private boolean isDue(Waiter waiter, long now) {
        lock.lock();
        try {
            if (!waiter.done && now < waiter.due) {
                setTimer(waiter, waiter.due);
            }
            return !waiter.done && now >= waiter.due;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes the outcome of a request final and {@linkplain #remove removes} it; returns null if it was final before.
     */
    final @Nullable List<Waiter> end(Waiter waiter) {
        lock.lock();
        try {
            if (waiter.done) {
                return null;
            }
            waiter.done = true;
            waiter.cancelTimer.run();
            return remove(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Returns permits that no request needs; logs failures, because no caller is left to receive them. */
    static void giveBack(@Nullable Decision decision) {
        if (decision != null) {
            try {
                decision.giveBack();
            } catch (RuntimeException | Error e) {
                System.getLogger(WaitingStrategy.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "Failed to return the permits of a request that has ended",
                                e);
            }
        }
    }

    /** Rejects all requests; later requests do not wait. */
    final void close() {
        List<Waiter> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(waiters());
        } finally {
            lock.unlock();
        }
        // last ones first: no turns are behind theirs, so their permits are returned
        Collections.reverse(all);
        all.forEach(this::giveUp);
    }

    final void open() {
        closed = false;
    }
}
