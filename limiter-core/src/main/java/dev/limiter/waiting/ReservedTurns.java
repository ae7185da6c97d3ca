package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.TimeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for a turn that the storage has reserved for them, with their permits taken. A request that gives
 * up returns these as far as no turn is behind its own; turns never move. Thread-safe; the storage and other code is
 * called without the lock.
 */
final class ReservedTurns {

    private final RateLimiterStorage storage;
    private final TimeSource clock;
    private final WaitTimer timer;
    private final ReentrantLock lock;
    private final Set<Waiter> waiters = new LinkedHashSet<>();

    /** How many wait for each rule and key. */
    private final Map<QueueKey, Integer> waiting = new ConcurrentHashMap<>();

    private volatile boolean closed;

    ReservedTurns(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        this.storage = storage;
        this.clock = storage.clock();
        this.timer = timer;
        this.lock = lock;
    }

    int size() {
        lock.lock();
        try {
            return waiters.size();
        } finally {
            lock.unlock();
        }
    }

    /** Whether another request may wait for a turn of the charge. */
    boolean hasRoom(Charge charge) {
        return !closed && waiting.getOrDefault(QueueKey.of(charge), 0) < charge.maxWaiting();
    }

    void enter(Waiter waiter) {
        boolean waits = waiter.charges.stream().allMatch(charge -> !Waiter.waits(charge) || hasRoom(charge));
        ask(waiter, waits ? waiter.charges : waiter.chargesAtOnce());
    }

    private void ask(Waiter waiter, List<Charge> charges) {
        Calls.then(
                Calls.decide(storage, charges),
                (decision, failure) -> decided(waiter, decision, failure),
                failure -> fail(waiter, failure));
    }

    private void decided(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (decision == null || decision.delay().isZero()) {
            end(waiter, decision, failure);
        } else if (reserve(waiter, decision)) {
            waiter.begin();
        } else {
            Calls.giveBack(decision);
            askAtOnce(waiter);
        }
    }

    /** Others may have taken the last place while it was undecided. */
    private void askAtOnce(Waiter waiter) {
        if (!isDone(waiter)) {
            ask(waiter, waiter.chargesAtOnce());
        }
    }

    private boolean isDone(Waiter waiter) {
        lock.lock();
        try {
            return waiter.done;
        } finally {
            lock.unlock();
        }
    }

    private boolean reserve(Waiter waiter, Decision decision) {
        lock.lock();
        try {
            List<QueueKey> keys = waitedFor(waiter, decision);
            boolean reserves = !waiter.done && hasRoom(waiter, keys);
            if (reserves) {
                waiter.reservation = decision;
                waiters.add(waiter);
                keys.forEach(key -> waiting.merge(key, 1, Integer::sum));
                setTimer(waiter, decision.turnNanos());
            }
            return reserves;
        } finally {
            lock.unlock();
        }
    }

    /** The rules and keys whose own turns are still to come. */
    private static List<QueueKey> waitedFor(Waiter waiter, Decision decision) {
        List<QueueKey> keys = new ArrayList<>(1);
        for (int i = 0; i < waiter.charges.size(); i++) {
            if (!waiter.part(decision, i).delay().isZero()) {
                keys.add(QueueKey.of(waiter.charges.get(i)));
            }
        }
        return keys;
    }

    private boolean hasRoom(Waiter waiter, List<QueueKey> keys) {
        return !closed
                && waiter.charges.stream().allMatch(charge -> !keys.contains(QueueKey.of(charge)) || hasRoom(charge));
    }

    /** With the lock held. */
    private void setTimer(Waiter waiter, long due) {
        waiter.due = due;
        waiter.cancelTimer = timer.after(Math.max(due - clock.epochNanos(), 0), () -> ring(waiter));
    }

    /** Called by the timer. */
    void ring(Waiter waiter) {
        Calls.guard(() -> tend(waiter), failure -> fail(waiter, failure));
    }

    private void fail(Waiter waiter, Throwable failure) {
        if (remove(waiter)) {
            Calls.giveBack(waiter.reservation);
            waiter.fail(failure);
        }
    }

    /** May be early where the clock is not that of the system. */
    private void tend(Waiter waiter) {
        long now = clock.epochNanos();
        Decision decision;
        lock.lock();
        try {
            decision = waiter.reservation;
            if (waiter.done || decision == null) {
                return;
            }
            if (now < waiter.due) {
                setTimer(waiter, waiter.due);
                return;
            }
        } finally {
            lock.unlock();
        }
        if (waiter.isPresent()) {
            end(waiter, decision, null);
        } else {
            giveUp(waiter);
        }
    }

    /** Rejects a request, unless its outcome is certain. Its permits are returned first. */
    void giveUp(Waiter waiter) {
        if (remove(waiter)) {
            Decision decision = waiter.reservation;
            try {
                if (decision != null) {
                    decision.giveBack();
                }
            } catch (RuntimeException | Error e) {
                waiter.fail(e);
                return;
            }
            waiter.finish(
                    decision == null ? waiter.rejection() : GivenUp.beforeTurn(waiter, decision, clock.epochNanos()));
        }
    }

    private void end(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (!remove(waiter)) {
            // of a turn that is given up meanwhile, that returns the permits
            if (decision != waiter.reservation) {
                Calls.giveBack(decision);
            }
        } else if (decision != null) {
            waiter.finish(decision);
        } else if (failure != null) {
            waiter.fail(failure);
        }
    }

    /** Whether the outcome was not certain before. */
    private boolean remove(Waiter waiter) {
        lock.lock();
        try {
            boolean ends = !waiter.done;
            waiter.done = true;
            waiter.cancelTimer.run();
            Decision decision = waiter.reservation;
            if (ends && decision != null && waiters.remove(waiter)) {
                waitedFor(waiter, decision)
                        .forEach(key -> waiting.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1));
            }
            return ends;
        } finally {
            lock.unlock();
        }
    }

    /** Rejects all; from now on no request waits. */
    void close() {
        List<Waiter> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(waiters);
        } finally {
            lock.unlock();
        }
        // the last ones first: behind these there is none, so all are refunded
        Collections.reverse(all);
        all.forEach(this::giveUp);
    }

    void open() {
        closed = false;
    }
}
