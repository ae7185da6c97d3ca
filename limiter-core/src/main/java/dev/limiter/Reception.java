package dev.limiter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Has the storage decide on those who come into the waiting room, and on those who wait there. Thread-safe. */
abstract class Reception {

    static final Runnable NOTHING = () -> {};

    final RateLimiterStorage storage;
    final TimeSource clock;
    final ReentrantLock lock;
    final Turns turns = new Turns();
    final ReleaseLines releases = new ReleaseLines();
    volatile boolean closed;

    Reception(RateLimiterStorage storage, ReentrantLock lock) {
        this.storage = storage;
        this.clock = storage.clock();
        this.lock = lock;
    }

    /** The permission to go on at once, without any cost of waiting; null if it is not as simple as that. */
    abstract @Nullable Decision passBy(Rule rule, String key, long permits);

    /** The answer, if it is known at once; null if the waiter is told later. */
    abstract @Nullable Decision enter(Waiter waiter);

    /** Takes out one who has no answer, refused. With the lock held; returns what is left to do without it. */
    abstract Runnable giveUp(Waiter waiter);

    /** Something is free again of what those wait for who are held up under that rule and key. */
    abstract void released(String rule, String key);

    /** Whether one more may not wait for turns. */
    final boolean isFull(Waiter waiter) {
        return waiter.charges.stream().anyMatch(turns::isFull);
    }

    /** What there is to do when the time of a waiter has come. */
    final void due(Waiter waiter) {
        if (!isDue(waiter)) {
            return;
        }
        if (waiter.reservation() != null && !waiter.isPresent()) {
            leave(waiter);
            return;
        }
        Runnable rest = NOTHING;
        lock.lock();
        try {
            // may have got a turn in the meantime, that is still to come
            Decision reservation = waiter.reservation();
            if (isDue(waiter) && reservation != null) {
                turns.remove(waiter, reservation);
                waiter.answer(reservation);
            } else if (isDue(waiter)) {
                rest = giveUp(waiter);
            }
        } finally {
            lock.unlock();
        }
        rest.run();
    }

    private boolean isDue(Waiter waiter) {
        return !waiter.isDone() && clock.epochNanos() >= waiter.due();
    }

    /** Gives up. Nothing happens to one who has an answer. */
    final void leave(Waiter waiter) {
        Runnable rest = NOTHING;
        lock.lock();
        try {
            if (!waiter.isDone()) {
                rest = giveUp(waiter);
            }
        } finally {
            lock.unlock();
        }
        rest.run();
    }

    /** Sends all who wait away, refused; from now on nobody waits. */
    final void close() {
        List<Waiter> all = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            all.addAll(releases.waiters());
            all.addAll(turns.waiters());
        } finally {
            lock.unlock();
        }
        // the last ones first: nobody has to move up
        Collections.reverse(all);
        all.forEach(this::leave);
    }
}
