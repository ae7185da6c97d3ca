package dev.limiter;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Decides in memory. What can be had now is had without the lock. Permits for a later turn are taken with it held, for
 * the time of a decision, so that nobody is overlooked when turns move up.
 */
final class LocalReception extends Reception {

    /** Where something was released while this thread was deciding. */
    private final Deque<Line> released = new ArrayDeque<>();

    LocalReception(RateLimiterStorage storage, ReentrantLock lock) {
        super(storage, lock);
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
        List<Charge> charges = waiter.charges;
        Charge heldUp = releases.heldUp(charges);
        if (heldUp == null) {
            Decision now = storage.decide(waiter.chargesAtOnce());
            if (now.permitted() || closed || !waiter.wouldWait()) {
                return now;
            }
            waiter.refusal(now);
        } else {
            waiter.refusal(turnedAway(charges, heldUp));
        }
        lock.lock();
        try {
            Decision answer = join(waiter);
            admitReleased();
            return answer != null ? answer : waiter.answer();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Decision join(Waiter waiter) {
        Charge heldUp = releases.heldUp(waiter.charges);
        if (heldUp != null) {
            return joinForRelease(waiter, heldUp, turnedAway(waiter.charges, heldUp));
        }
        if (closed || isFull(waiter)) {
            return storage.decide(waiter.chargesAtOnce());
        }
        return place(waiter, storage.decide(waiter.charges));
    }

    private Decision turnedAway(List<Charge> charges, Charge heldUp) {
        return Decision.allOf(charges.stream()
                .map(charge -> charge.equals(heldUp) || releases.contains(charge)
                        ? TurnedAway.from(charge)
                        : storage.peek(charge.rule(), charge.key()))
                .toList());
    }

    /** The answer, if the decision is one; null if the waiter has to wait for what was decided. */
    private @Nullable Decision place(Waiter waiter, Decision decision) {
        if (decision.permitted()) {
            if (decision.delayNanos() == 0) {
                return decision;
            }
            turns.add(waiter, decision, clock.epochNanos());
            return null;
        }
        Charge held = closed ? null : HeldBack.by(decision, waiter.charges);
        return held == null ? decision : joinForRelease(waiter, held, decision);
    }

    private @Nullable Decision joinForRelease(Waiter waiter, Charge charge, Decision refusal) {
        if (closed || releases.isFull(charge)) {
            return refusal;
        }
        waiter.refusal(refusal);
        lineUp(waiter, charge);
        return null;
    }

    private void lineUp(Waiter waiter, Charge charge) {
        // what was released before the line was there was not heard of
        released.add(releases.add(waiter, charge));
    }

    /** Those behind move up. */
    @Override
    Runnable giveUp(Waiter waiter) {
        Decision reservation = waiter.reservation();
        if (reservation == null) {
            takeOut(waiter);
        } else {
            turns.giveUp(waiter, reservation);
        }
        waiter.refuse();
        admitReleased();
        return NOTHING;
    }

    private void takeOut(Waiter waiter) {
        Line line = releases.remove(waiter);
        if (line != null) {
            // those behind may ask for less
            released.add(line);
        }
    }

    @Override
    void released(String rule, String key) {
        if (releases.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            released.add(new Line(rule, key));
            if (lock.getHoldCount() == 1) {
                admitReleased();
            }
        } finally {
            lock.unlock();
        }
    }

    private void admitReleased() {
        for (Line line = released.poll(); line != null; line = released.poll()) {
            Waiter first = releases.first(line);
            while (first != null && admit(line, first)) {
                first = releases.first(line);
            }
        }
    }

    /** Decides on the first in line; false if it has to go on waiting there. */
    private boolean admit(Line line, Waiter first) {
        if (closed || !first.isPresent()) {
            releases.remove(first);
            first.refuse();
            return true;
        }
        Decision decision = storage.decide(first.chargesLeft(clock.epochNanos()));
        Charge held = decision.permitted() ? null : HeldBack.by(decision, first.charges);
        if (held != null && Line.of(held).equals(line)) {
            return false;
        }
        releases.remove(first);
        if (held != null) {
            // here there is room by now, but not where else it has to be let in
            lineUp(first, held);
            first.wake();
        } else if (decision.delayNanos() > 0) {
            turns.add(first, decision, clock.epochNanos());
            first.wake();
        } else {
            first.answer(decision);
        }
        return true;
    }
}
