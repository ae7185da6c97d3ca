package dev.limiter.failover;

import dev.limiter.Charge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Has all that was granted in memory charged in the shared storage once that is back, whether or not this instance is
 * asked for these keys again: other instances are, and would be granted the same permits. Keys with the largest debt go
 * first, a limited number of them at a time. Thread-safe; never blocks.
 */
final class BatchSettlement {

    private static final int TOGETHER = 64;

    /** The JDK's thread for time-outs: tasks of the application may occupy the common pool. */
    private static final Executor NEXT = CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run);

    private final OutageUse use;
    private final Executor threads;
    private final AtomicBoolean underWay = new AtomicBoolean();

    BatchSettlement(OutageUse use) {
        this(use, BatchSettlement::startThread);
    }

    /** {@code threads}: sort what is due. */
    BatchSettlement(OutageUse use, Executor threads) {
        this.use = use;
        this.threads = threads;
    }

    /** Begins, unless that is under way. {@code reachable}: whether the node is asked that decides on a charge. */
    void begin(Predicate<Charge> reachable) {
        if (use.owesNothing() || !underWay.compareAndSet(false, true)) {
            return;
        }
        // There may be many to sort, and this may be the thread that reads answers.
        // Where no thread can be started, that fails the chain, and ends it.
        var unused = CompletableFuture.completedFuture(use)
                .thenApplyAsync(keys -> new ArrayDeque<>(keys.due()), threads)
                .thenCompose(due -> goOn(due, reachable))
                .whenComplete((done, failure) -> underWay.set(false));
    }

    /** One thread after the other. Complete when none is left that can be settled. */
    private CompletableFuture<Void> goOn(Queue<Charge> due, Predicate<Charge> reachable) {
        List<CompletableFuture<Boolean>> answered = new ArrayList<>(TOGETHER);
        while (answered.size() < TOGETHER && !due.isEmpty()) {
            Charge charge = due.remove();
            if (reachable.test(charge)) {
                answered.add(use.settle(List.of(charge)).handle((done, failure) -> isAnswer(failure)));
            }
        }
        return CompletableFuture.allOf(answered.toArray(CompletableFuture[]::new))
                // without an answer, the rest is left to the next time
                .thenComposeAsync(
                        done -> answered.stream().anyMatch(CompletableFuture::join)
                                ? goOn(due, reachable)
                                : CompletableFuture.completedFuture(null),
                        NEXT);
    }

    /** Whether the storage was there: it has settled a key, or refuses this one. */
    private static boolean isAnswer(@Nullable Throwable failure) {
        return failure == null
                || StorageExceptionTranslator.causeOf(failure) instanceof StorageUnavailableException unavailable
                        && unavailable.isAnswer();
    }

    private static void startThread(Runnable task) {
        Thread thread = new Thread(task, "limiter-settlement");
        thread.setDaemon(true);
        thread.start();
    }
}
