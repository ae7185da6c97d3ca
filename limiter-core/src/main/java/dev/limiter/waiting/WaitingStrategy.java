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
 * One of the two ways to wait. Thread-safe; calls the storage and other code without the lock. What these throw is the
 * failure of the request, and of no thread.
 */
abstract class Way {

    final RateLimiterStorage storage;
    final TimeSource clock;
    final ReentrantLock lock;
    volatile boolean closed;

    private final WaitTimer timer;

    Way(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        this.storage = storage;
        this.clock = storage.clock();
        this.timer = timer;
        this.lock = lock;
    }

    /** Decides on a request, or lets it wait. */
    abstract void enter(Waiter waiter);

    /** Rejects a request, unless its outcome is certain. */
    abstract void giveUp(Waiter waiter);

    abstract void fail(Waiter waiter, Throwable failure);

    /** Does what a request has set its timer for. */
    abstract void tend(Waiter waiter);

    /** All that wait, in order. With the lock held. */
    abstract List<Waiter> waiters();

    /** Forgets a request that does not wait any more; returns those that are to be tried since. With the lock held. */
    abstract List<Waiter> remove(Waiter waiter);

    /** Has a storage decide, or look; {@code then} receives a decision or a failure, in this thread if that is there. */
    final void ask(
            Waiter waiter,
            Function<List<Charge>, CompletionStage<Decision>> storage,
            List<Charge> charges,
            BiConsumer<@Nullable Decision, @Nullable Throwable> then) {
        var unused = call(storage, charges)
                .whenComplete((decision, failure) -> guard(waiter, () -> {
                    boolean nothing = decision == null && failure == null;
                    then.accept(
                            decision, nothing ? new IllegalStateException("The storage answered nothing") : failure);
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

    /** Runs a step of a request; what it throws, such as that of a clock, is its failure. */
    final void guard(Waiter waiter, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            fail(waiter, e);
        }
    }

    /** With the lock held. */
    final void setTimer(Waiter waiter, long due) {
        waiter.cancelTimer.run();
        waiter.due = due;
        waiter.cancelTimer = timer.after(Math.max(due - clock.epochNanos(), 0), () -> ring(waiter));
    }

    /** Called by the timer: it may be early where the clock is not that of the system. */
    final void ring(Waiter waiter) {
        guard(waiter, () -> {
            if (isDue(waiter, clock.epochNanos())) {
                tend(waiter);
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

    /** Makes the outcome of a request certain, and {@linkplain #remove removes} it; null if it was certain before. */
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

    /** Returns permits that no request wants any more; a failure has no one to tell. */
    static void giveBack(@Nullable Decision decision) {
        if (decision != null) {
            try {
                decision.giveBack();
            } catch (RuntimeException | Error e) {
                System.getLogger(Way.class.getName())
                        .log(System.Logger.Level.WARNING, "Permits of a request that has gone were not returned", e);
            }
        }
    }

    /** Rejects all; from now on no request waits. */
    final void close() {
        List<Waiter> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(waiters());
        } finally {
            lock.unlock();
        }
        // the last ones first: behind these there is none, so their turns are returned
        Collections.reverse(all);
        all.forEach(this::giveUp);
    }

    final void open() {
        closed = false;
    }
}
