package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.spi.AbstractDecision;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for a turn that the storage has granted in advance, with their permits taken. A request that gives
 * up returns its permits, unless later turns depend on them; turns never move.
 */
final class ReservedTurns extends WaitingStrategy {

    private final Set<Waiter> waiters = new LinkedHashSet<>();

    /** The number of waiting requests per rule and key. */
    private final Map<QueueKey, Integer> waiting = new ConcurrentHashMap<>();

    ReservedTurns(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        super(storage, timer, lock);
    }

    int size() {
        lock.lock();
        try {
            return waiters.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether another request may wait for a turn of the charge. */
    boolean hasRoom(Charge charge) {
        return !closed && waiting.getOrDefault(QueueKey.of(charge), 0) < charge.maxWaiting();
    }

    @Override
    void enter(Waiter waiter) {
        boolean waits = waiter.charges.stream().allMatch(charge -> !Waiter.waits(charge) || hasRoom(charge));
        decide(waiter, waits ? waiter.charges : waiter.chargesAtOnce());
    }

    private void decide(Waiter waiter, List<Charge> charges) {
        callStorage(waiter, storage::decideAsync, charges, (decision, failure) -> {
            if (decision == null || decision.delay().isZero()) {
                end(waiter, decision, failure);
            } else if (reserve(waiter, decision)) {
                waiter.begin();
            } else {
                giveBack(decision);
                decideAtOnce(waiter);
            }
        });
    }

    private boolean reserve(Waiter waiter, Decision decision) {
        lock.lock();
        try {
            List<Charge> waited = waitedFor(waiter, decision);
            boolean reserves = !waiter.done && waited.stream().allMatch(this::hasRoom);
            if (reserves) {
                waiter.reservation = decision;
                waiters.add(waiter);
                waited.forEach(charge -> waiting.merge(QueueKey.of(charge), 1, Integer::sum));
                setTimer(waiter, AbstractDecision.of(decision).turnNanos());
            }
            return reserves;
        } finally {
            lock.unlock();
        }
    }

    /** Decides without waiting, because others took the last place in the queue in the meantime. */
    private void decideAtOnce(Waiter waiter) {
        lock.lock();
        try {
            if (waiter.done) {
                return;
            }
        } finally {
            lock.unlock();
        }
        decide(waiter, waiter.chargesAtOnce());
    }

    /** Returns the charges with a turn in the future. */
    private static List<Charge> waitedFor(Waiter waiter, Decision decision) {
        List<Charge> waited = new ArrayList<>(1);
        for (int i = 0; i < waiter.charges.size(); i++) {
            if (!waiter.part(decision, i).delay().isZero()) {
                waited.add(waiter.charges.get(i));
            }
        }
        return waited;
    }

    /** The turn has come. */
    @Override
    void onTimer(Waiter waiter) {
        if (waiter.isPresent()) {
            end(waiter, waiter.reservation, null);
        } else {
            giveUp(waiter);
        }
    }

    /** Returns the permits before it completes the request. */
    @Override
    void giveUp(Waiter waiter) {
        if (end(waiter) == null) {
            return;
        }
        Decision decision = waiter.reservation;
        try {
            if (decision != null) {
                decision.giveBack();
            }
            waiter.finish(decision == null ? waiter.rejection() : waiter.rejection(decision, clock.epochNanos()));
        } catch (RuntimeException | Error e) {
            waiter.fail(e);
        }
    }

    @Override
    void fail(Waiter waiter, Throwable failure) {
        if (end(waiter) != null) {
            giveBack(waiter.reservation);
            waiter.fail(failure);
        }
    }

    private void end(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (end(waiter) == null) {
            // permits of the turn are returned by the code that ended the wait
            giveBack(decision == waiter.reservation ? null : decision);
        } else if (failure != null) {
            waiter.fail(failure);
        } else if (decision != null) {
            waiter.finish(decision);
        }
    }

    @Override
    List<Waiter> waiters() {
        return List.copyOf(waiters);
    }

    @Override
    List<Waiter> remove(Waiter waiter) {
        Decision decision = waiter.reservation;
        if (decision != null && waiters.remove(waiter)) {
            waitedFor(waiter, decision)
                    .forEach(charge -> waiting.computeIfPresent(
                            QueueKey.of(charge), (key, count) -> count == 1 ? null : count - 1));
        }
        return List.of();
    }
}
