package dev.limiter;

import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides in memory. Permits available now are taken without the lock. Permits for a later turn are taken with it held,
 * for the time of a decision, so that no turn is overlooked when others move up.
 */
final class LocalAdmission extends Admission {

    /** A charge that is always refused: what is decided together with it is told, and not granted. */
    private static final Charge NEVER_GRANTED =
            Rule.of("never-granted", Limit.concurrency(1)).charge("never-granted", 2);

    /** Queues of which a permit was released, and whose waiters were not decided on since. */
    private final Queue<WaitKey> released = new ConcurrentLinkedQueue<>();

    /** Queues that are polled, because the storage does not report releases. */
    private final Set<WaitKey> polled = new HashSet<>();

    private volatile boolean polling;

    LocalAdmission(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        super(storage, timer, lock);
    }

    @Override
    @Nullable
    Decision passBy(Rule rule, String key, long permits) {
        if (!releases.isEmpty()) {
            return null;
        }
        Decision decision = storage.decide(rule, key, permits);
        return decision.permitted() ? decision : null;
    }

    @Override
    @Nullable
    Decision enter(Waiter waiter) {
        if (releases.contended(waiter.charges) == null) {
            Decision now = storage.decide(waiter.chargesAtOnce());
            if (now.permitted() || closed || !waiter.wouldWait()) {
                return now;
            }
            waiter.refusal(now);
        }
        lock.lock();
        try {
            Decision answer = raiseAndJoin(waiter);
            admitReleased();
            return answer != null ? answer : waiter.answer();
        } finally {
            unlock();
        }
    }

    /** Those before it go by its limits where these are raised. */
    private @Nullable Decision raiseAndJoin(Waiter waiter) {
        released.addAll(releases.raise(waiter));
        admitReleased();
        return join(waiter);
    }

    private @Nullable Decision join(Waiter waiter) {
        Charge contended = releases.contended(waiter.charges);
        if (contended != null) {
            Decision refusal = turnedAway(waiter.charges);
            return awaitedRelease(refusal, waiter) == null
                    ? refusal
                    : joinForRelease(waiter, ReleaseQueues.AwaitedRelease.of(contended), refusal);
        }
        if (closed || isFull(waiter)) {
            return storage.decide(waiter.chargesAtOnce());
        }
        return place(waiter, HeldCharges.release(storage.decide(waiter.charges)));
    }

    @Override
    Runnable decideHeld(Waiter waiter) {
        try {
            Decision answer = raiseAndJoin(waiter);
            if (answer != null) {
                waiter.answer(answer);
            }
        } catch (RuntimeException | Error e) {
            // not the failure of the thread that serves it
            waiter.fail(e);
        }
        wake(waiter);
        return NOTHING;
    }

    /** The refusal of a request that others come before, with the answers of its other limits; takes nothing. */
    private Decision turnedAway(List<Charge> charges) {
        return Decision.allOf(
                Charge.merged(charges).stream().map(this::turnedAway).toList());
    }

    private Decision turnedAway(Charge charge) {
        boolean behind = releases.comeBefore(charge);
        if (behind && HeldCharges.isHeld(charge.rule())) {
            return TurnedAway.from(charge);
        }
        Decision asked = storage.decide(List.of(charge, NEVER_GRANTED)).parts().get(0);
        return behind ? new BehindOthers(charge, asked) : asked;
    }

    /** The answer, if the decision is one; null if the waiter has to wait for what was decided. */
    private @Nullable Decision place(Waiter waiter, Decision decision) {
        if (decision.permitted()) {
            if (decision.delayNanos() == 0) {
                return decision;
            }
            waitForTurn(waiter, decision);
            return null;
        }
        ReleaseQueues.AwaitedRelease awaited = closed ? null : awaitedRelease(decision, waiter);
        return awaited == null ? decision : joinForRelease(waiter, awaited, decision);
    }

    /** A refusal that a release has ended since is replaced by that of the turn. */
    private void waitForTurn(Waiter waiter, Decision decision) {
        long now = clock.epochNanos();
        Decision known = waiter.refusal();
        if (known == null || needsRelease(known) != null) {
            waiter.refusal(TurnedAway.before(decision, now));
        }
        turns.add(waiter, decision, now);
    }

    private @Nullable Decision joinForRelease(Waiter waiter, ReleaseQueues.AwaitedRelease awaited, Decision refusal) {
        if (closed || releases.isFull(awaited.charge())) {
            return refusal;
        }
        waiter.refusal(refusal);
        WaitKey key = releases.add(waiter, awaited);
        // a release before the queue was there was not heard of
        released.add(key);
        if (polling && polled.add(key)) {
            pollLater(key);
        }
        return null;
    }

    private void pollLater(WaitKey key) {
        timer.after(ReleasePolling.pauseNanos(polled.size()), () -> poll(key));
    }

    /** Looks at a queue as if something had been released. */
    private void poll(WaitKey key) {
        lock.lock();
        try {
            if (releases.first(key) == null) {
                polled.remove(key);
            } else {
                released.add(key);
                pollLater(key);
            }
        } finally {
            unlock();
        }
    }

    @Override
    public void unreported() {
        polling = true;
    }

    /** The waiters behind move up. */
    @Override
    Runnable giveUp(Waiter waiter) {
        if (waiter.decision() == null) {
            takeOut(waiter);
        } else {
            turns.giveUp(waiter);
        }
        refuse(waiter);
        return NOTHING;
    }

    private void takeOut(Waiter waiter) {
        WaitKey key = releases.remove(waiter);
        if (key != null) {
            // those behind may ask for less
            released.add(key);
        }
    }

    @Override
    public void released(String rule, String key) {
        if (!releases.isEmpty()) {
            released.add(new WaitKey(rule, key));
            serveReleased();
        }
    }

    @Override
    boolean hasReleased() {
        return !released.isEmpty();
    }

    @Override
    void admitReleased() {
        for (WaitKey key = released.poll(); key != null; key = released.poll()) {
            Waiter first = releases.first(key);
            while (first != null && admit(key, first)) {
                first = releases.first(key);
            }
        }
    }

    /** Decides on the first of a queue; false if it has to go on waiting there. */
    private boolean admit(WaitKey key, Waiter first) {
        if (closed || !first.isPresent()) {
            releases.remove(first);
            refuse(first);
            return true;
        }
        Decision decision;
        try {
            decision = HeldCharges.release(storage.decide(first.chargesLeft(clock.epochNanos())));
            if (isTooMany(first, decision)) {
                decision.giveBack();
                decision = storage.decide(first.chargesAtOnce());
            }
        } catch (RuntimeException | Error e) {
            // not the failure of the thread that serves it
            releases.remove(first);
            first.fail(e);
            wake(first);
            return true;
        }
        ReleaseQueues.AwaitedRelease awaited = decision.permitted() ? null : awaitedRelease(decision, first);
        if (awaited != null && awaited.queue().equals(key)) {
            return false;
        }
        releases.remove(first);
        // room here by now, but maybe not everywhere else
        Decision answer = place(first, decision);
        if (answer == null) {
            wake(first);
        } else {
            answer(first, answer);
        }
        return true;
    }
}
