package dev.limiter;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where requests wait: for a turn that the storage has given them, or for somebody to release what is held. First come,
 * first served, for each rule and key. Thread-safe.
 *
 * <p>Who has a turn has its permits: nothing is decided when it comes, so nobody is late because of others, and whoever
 * leaves late takes nothing from those behind. Who gives up before returns its permits; in memory the turns behind move
 * up. Nobody holds the lock while waiting, be it for a turn or for a storage that is elsewhere.
 */
final class WaitingRoom {

    private final WaitTimer timer;
    private final TimeSource clock;
    private final Reception reception;

    WaitingRoom(RateLimiterStorage storage, WaitTimer timer) {
        this(storage, timer, new ReentrantLock());
    }

    WaitingRoom(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        this.timer = timer;
        this.clock = storage.clock();
        this.reception =
                storage.isRemote() ? new RemoteReception(storage, timer, lock) : new LocalReception(storage, lock);
        storage.onRelease(reception::released);
    }

    /** How many wait. */
    int size() {
        return reception.turns.size() + reception.releases.size();
    }

    /** The permission to go on at once, without any cost of waiting; null if it is not as simple as that. */
    @Nullable
    Decision passBy(Rule rule, String key, long permits) {
        return reception.passBy(rule, key, permits);
    }

    /** Waits in the calling thread. An interrupt ends the wait with a refusal, and stays. */
    Decision await(List<Charge> charges) {
        Thread thread = Thread.currentThread();
        Waiter waiter = new Waiter(charges, clock.epochNanos(), () -> true, () -> LockSupport.unpark(thread));
        Decision answer = enter(waiter);
        if (answer != null) {
            return answer;
        }
        while (!waiter.isDone()) {
            long rest = waiter.due() - clock.epochNanos();
            if (rest > 0) {
                LockSupport.parkNanos(this, Math.min(rest, timer.longestNap()));
            } else {
                due(waiter);
            }
            if (thread.isInterrupted()) {
                leave(waiter);
            }
        }
        return waiter.outcome();
    }

    /** Waits without a thread. Cancelling the future gives the place back. */
    CompletableFuture<Decision> queue(List<Charge> charges, BooleanSupplier present) {
        Alarm alarm = new Alarm(this, timer, clock);
        Waiter waiter = new Waiter(charges, clock.epochNanos(), present, alarm::wake);
        Decision answer = enter(waiter);
        return answer != null ? CompletableFuture.completedFuture(answer) : alarm.of(waiter);
    }

    /** The answer, if it is known at once; null if the waiter is told later. */
    @Nullable
    Decision enter(Waiter waiter) {
        return reception.enter(waiter);
    }

    /** What there is to do when the time of a waiter has come. */
    void due(Waiter waiter) {
        reception.due(waiter);
    }

    /** Gives up. Nothing happens to one who has an answer. */
    void leave(Waiter waiter) {
        reception.leave(waiter);
    }

    /** Sends all who wait away, refused; from now on nobody waits. */
    void close() {
        reception.close();
    }

    void open() {
        reception.closed = false;
    }
}
