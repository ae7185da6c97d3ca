package dev.limiter;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The room where requests wait for a turn that the storage has given them, or for a release of held permits. First
 * come, first served, for each rule and key: each has its own queue ({@link ReservationQueues}, {@link ReleaseQueues}).
 * Thread-safe.
 *
 * <p>A request with a turn already has its permits: no decision is needed when the turn comes, so other requests cannot
 * delay a waiter, and a late departure takes no permits from the waiters behind. Permits that are held are taken only
 * then, and waited for with the turn kept ({@link HeldCharges}). A request that gives up before returns its permits; in
 * memory the turns behind it move up. No lock is held while waiting, be it for a turn or for a storage
 * elsewhere.
 */
final class WaitingRoom {

    final Admission admission;

    private final RateLimiterStorage storage;
    private final WaitTimer timer;
    private final AsyncExecutor handOver;
    private final List<WaitListener> waitListeners = new CopyOnWriteArrayList<>();
    private volatile boolean listening;

    /** {@code handOver}: completes futures, and so runs what hangs on them; never used with a lock held. */
    WaitingRoom(RateLimiterStorage storage, WaitTimer timer, AsyncExecutor handOver) {
        this(storage, timer, handOver, new ReentrantLock());
    }

    WaitingRoom(RateLimiterStorage storage, WaitTimer timer, AsyncExecutor handOver, ReentrantLock lock) {
        this.storage = storage;
        this.timer = timer;
        this.handOver = handOver;
        this.admission = storage.isRemote()
                ? new RemoteAdmission(storage, timer, lock)
                : new LocalAdmission(storage, timer, lock);
    }

    /** The number of waiters. */
    int size() {
        return admission.turns.size() + admission.releases.size();
    }

    /**
     * The permission to go on at once, without the cost of a waiter; null if a waiter has to {@linkplain #await enter}.
     */
    @Nullable
    Decision passBy(Rule rule, String key, long permits) {
        return admission.passBy(rule, key, permits);
    }

    /** Waits in the calling thread. An interrupt ends the wait with a refusal, and stays. */
    Decision await(List<Charge> charges) {
        Thread thread = Thread.currentThread();
        long now = storage.clock().epochNanos();
        Waiter waiter = new Waiter(charges, now, () -> true, () -> LockSupport.unpark(thread));
        try {
            Decision answer = enter(waiter);
            return answer != null ? answer : await(waiter, thread);
        } catch (RuntimeException | Error e) {
            withdraw(waiter);
            throw e;
        }
    }

    private Decision await(Waiter waiter, Thread thread) {
        WaitNotifier report = WaitNotifier.to(waitListeners, waiter.charges);
        try {
            while (!waiter.isDone()) {
                report.begin(waiter);
                long rest = waiter.due() - storage.clock().epochNanos();
                if (rest > 0) {
                    LockSupport.parkNanos(this, Math.min(rest, timer.longestNap()));
                } else {
                    tend(waiter);
                }
                if (thread.isInterrupted()) {
                    leave(waiter);
                }
            }
        } finally {
            report.end(waiter.answer());
        }
        return waiter.outcome();
    }

    /** Waits without a thread. Cancelling the future gives the place back. */
    CompletableFuture<Decision> queue(List<Charge> charges, BooleanSupplier present) {
        WaiterCompletion future = new WaiterCompletion(this, timer, storage.clock(), handOver);
        Waiter waiter = new Waiter(charges, storage.clock().epochNanos(), present, future::wake);
        try {
            Decision answer = enter(waiter);
            return answer != null
                    ? CompletableFuture.completedFuture(answer)
                    : future.of(waiter, WaitNotifier.to(waitListeners, charges));
        } catch (RuntimeException | Error e) {
            withdraw(waiter);
            throw e;
        }
    }

    void onWait(WaitListener listener) {
        waitListeners.add(listener);
    }

    /** The answer, if it is known at once; null if the waiter is told later. */
    @Nullable
    Decision enter(Waiter waiter) {
        if (!listening) {
            listen();
        }
        return admission.enter(waiter);
    }

    /** Only once a request waits: a storage goes by its listeners whether there are turns of other queues. */
    private synchronized void listen() {
        if (!listening && !admission.closed) {
            storage.onRelease(admission);
            listening = true;
        }
    }

    /** Attends to a waiter whose time has come; else does nothing. */
    void tend(Waiter waiter) {
        admission.tend(waiter);
    }

    /** Gives up, unless the waiter already has an answer. */
    void leave(Waiter waiter) {
        admission.leave(waiter);
    }

    /** Gives up; returns the permits of an answer, which nobody will have. */
    void withdraw(Waiter waiter) {
        leave(waiter);
        Decision undelivered = waiter.answer();
        if (undelivered != null) {
            waiter.giveBack(undelivered::giveBack);
        }
    }

    /** Refuses all waiters; from now on no request waits. */
    void stop() {
        admission.close();
    }

    /** Listens first: a request on its way may have found that none waits, and finds by now that it may. */
    synchronized void start() {
        if (admission.closed) {
            storage.onRelease(admission);
            listening = true;
            admission.closed = false;
        }
    }

    /** Stops, and is forgotten by the storage. */
    void close() {
        stop();
        forget();
    }

    private synchronized void forget() {
        // unless requests may wait again by now
        if (admission.closed) {
            storage.removeReleaseListener(admission);
            listening = false;
        }
    }
}
