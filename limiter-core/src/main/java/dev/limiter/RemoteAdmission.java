package dev.limiter;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has a storage decide that is elsewhere: never with the lock held, and by one call for a request that is served at
 * once or gets a turn. Until that is answered a waiter is undecided; if it leaves meanwhile, its permits are
 * returned when they come. Turns do not move up when one before them is given up. {@link ReleasePolling} serves
 * waiters for a release.
 */
final class RemoteAdmission extends Admission {

    private final ReleasePolling polling;

    RemoteAdmission(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        super(storage, timer, lock);
        this.polling = new ReleasePolling(this);
    }

    /** Asking twice would take twice as long. */
    @Override
    @Nullable
    Decision passBy(Rule rule, String key, long permits) {
        return null;
    }

    @Override
    @Nullable
    Decision enter(Waiter waiter) {
        List<Charge> charges = waiter.charges;
        List<WaitKey> raised;
        Charge contended;
        lock.lock();
        try {
            raised = releases.raise(waiter);
            contended = releases.contended(waiter.charges);
            if (contended != null) {
                joinBehindOthers(waiter, contended);
            } else if (closed || isFull(waiter)) {
                charges = waiter.chargesAtOnce();
            }
        } finally {
            unlock();
        }
        raised.forEach(polling::poll);
        if (contended == null) {
            ask(waiter, charges);
        }
        return waiter.answer();
    }

    private void joinBehindOthers(Waiter waiter, Charge contended) {
        waiter.refusal(Decision.allOf(waiter.charges.stream()
                .map(charge -> charge.equals(contended) || releases.comeBefore(charge)
                        ? TurnedAway.from(charge)
                        : TurnedAway.unasked(charge))
                .toList()));
        if (closed || releases.isFull(contended)) {
            refuse(waiter);
        } else {
            queueForRelease(waiter, ReleaseQueues.AwaitedRelease.of(contended));
        }
    }

    @Override
    Runnable decideHeld(Waiter waiter) {
        List<WaitKey> raised = releases.raise(waiter);
        Charge contended = releases.contended(waiter.charges);
        if (contended != null) {
            joinBehindOthers(waiter, contended);
        }
        return () -> {
            raised.forEach(polling::poll);
            if (contended == null) {
                ask(waiter, waiter.charges);
            }
        };
    }

    private void queueForRelease(Waiter waiter, ReleaseQueues.AwaitedRelease awaited) {
        polling.start(releases.add(waiter, awaited));
        wake(waiter);
    }

    private void ask(Waiter waiter, List<Charge> charges) {
        var unused = decide(charges).whenComplete((decision, failure) -> decided(waiter, decision, failure));
    }

    /** Without the lock. */
    CompletionStage<Decision> decide(List<Charge> charges) {
        try {
            return storage.decideAsync(charges).thenApply(HeldCharges::release);
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void decided(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        boolean tooMany = false;
        boolean unwanted = false;
        lock.lock();
        try {
            // others may have taken the last place while this one was undecided
            tooMany = !waiter.isDone() && decision != null && isTooMany(waiter, decision);
            unwanted = waiter.isDone() || tooMany;
            if (!unwanted) {
                settle(waiter, decision, failure);
            }
        } finally {
            unlock();
        }
        if (unwanted && decision != null) {
            giveBack(waiter, decision);
        }
        if (tooMany && !waiter.isDone()) {
            ask(waiter, waiter.chargesAtOnce());
        }
    }

    /**
     * Returns what a waiter was granted and does not get: what the storage throws is its failure, unless it has an
     * answer. Without the lock.
     */
    void giveBack(Waiter waiter, Decision granted) {
        try {
            granted.giveBack();
        } catch (RuntimeException | Error e) {
            decided(waiter, null, e);
        }
    }

    /**
     * Does with a waiter as was decided; false if it has to go on waiting in the same queue. With the lock held.
     *
     * @param decision null if there was a failure
     */
    boolean settle(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (decision == null) {
            releases.remove(waiter);
            waiter.fail(failure);
            wake(waiter);
            return true;
        }
        WaitKey before = waiter.queue();
        ReleaseQueues.AwaitedRelease awaited = decision.permitted() ? null : awaitedRelease(decision, waiter);
        if (awaited != null && awaited.queue().equals(before)) {
            return false;
        }
        releases.remove(waiter);
        if (awaited != null && !closed && !releases.isFull(awaited.charge())) {
            waiter.refusal(decision);
            queueForRelease(waiter, awaited);
        } else if (decision.delayNanos() > 0) {
            turns.add(waiter, decision, clock.epochNanos());
            wake(waiter);
        } else {
            answer(waiter, decision);
        }
        return true;
    }

    @Override
    Runnable giveUp(Waiter waiter) {
        Decision decision = waiter.decision();
        if (decision != null) {
            turns.remove(waiter);
            waiter.answer(TurnedAway.before(decision, clock.epochNanos()));
            return () -> {
                waiter.giveBack(decision::giveBack);
                waiter.wake();
            };
        }
        WaitKey key = waiter.queue();
        if (key == null) {
            // undecided
            refuse(waiter);
            return NOTHING;
        }
        boolean first = releases.first(key) == waiter;
        releases.remove(waiter);
        refuse(waiter);
        // those behind may ask for less
        return first ? () -> polling.poll(key) : NOTHING;
    }

    @Override
    public void released(String rule, String key) {
        if (!releases.isEmpty()) {
            polling.poll(new WaitKey(rule, key));
        }
    }

    /** Each is polled by the thread that hears of it. */
    @Override
    boolean hasReleased() {
        return false;
    }

    @Override
    void admitReleased() {}
}
