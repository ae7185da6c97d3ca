package dev.limiter;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has a storage decide that is elsewhere: never with the lock held, and in one question for whoever can be served at once
 * or gets a turn. Until it is answered a waiter is undecided; if it leaves meanwhile, its permits are returned when they
 * come. Nobody moves up when one in front gives up. Those who wait for a release are seen to by {@link Inquiries}.
 */
final class RemoteReception extends Reception {

    private final Inquiries inquiries;

    RemoteReception(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        super(storage, lock);
        this.inquiries = new Inquiries(this, timer);
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
        List<Charge> question;
        lock.lock();
        try {
            Charge heldUp = releases.heldUp(waiter.charges);
            if (heldUp != null) {
                joinBehindOthers(waiter, heldUp);
                return waiter.answer();
            }
            question = closed || isFull(waiter) ? waiter.chargesAtOnce() : waiter.charges;
        } finally {
            lock.unlock();
        }
        ask(waiter, question);
        return waiter.answer();
    }

    private void joinBehindOthers(Waiter waiter, Charge heldUp) {
        waiter.refusal(Decision.allOf(waiter.charges.stream()
                .map(charge -> charge.equals(heldUp) || releases.contains(charge)
                        ? TurnedAway.from(charge)
                        : TurnedAway.unasked(charge))
                .toList()));
        if (closed || releases.isFull(heldUp)) {
            waiter.refuse();
        } else {
            lineUp(waiter, heldUp);
        }
    }

    private void lineUp(Waiter waiter, Charge charge) {
        inquiries.expect(releases.add(waiter, charge));
        waiter.wake();
    }

    private void ask(Waiter waiter, List<Charge> question) {
        var unused = decide(question).whenComplete((decision, failure) -> decided(waiter, decision, failure));
    }

    /** Without the lock. */
    CompletionStage<Decision> decide(List<Charge> charges) {
        try {
            return storage.decideAsync(charges);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void decided(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        boolean tooMany = false;
        boolean unwanted = false;
        lock.lock();
        try {
            // others may have taken the last place while this one was undecided
            tooMany = !waiter.isDone() && decision != null && decision.delayNanos() > 0 && (closed || isFull(waiter));
            unwanted = waiter.isDone() || tooMany;
            if (!unwanted) {
                settle(waiter, decision, failure);
            }
        } finally {
            lock.unlock();
        }
        if (unwanted && decision != null) {
            decision.giveBack();
        }
        if (tooMany) {
            ask(waiter, waiter.chargesAtOnce());
        }
    }

    /**
     * What becomes of one who was decided on; false if it has to go on waiting in the same line. With the lock held.
     *
     * @param decision null if there was a failure
     */
    boolean settle(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        if (decision == null) {
            releases.remove(waiter);
            waiter.fail(failure);
            return true;
        }
        Charge held = decision.permitted() ? null : HeldBack.by(decision, waiter.charges);
        Line before = waiter.line();
        if (held != null && Line.of(held).equals(before)) {
            return false;
        }
        releases.remove(waiter);
        if (held != null && (before != null || !closed && !releases.isFull(held))) {
            waiter.refusal(decision);
            lineUp(waiter, held);
        } else if (decision.delayNanos() > 0) {
            turns.add(waiter, decision, clock.epochNanos());
            waiter.wake();
        } else {
            waiter.answer(decision);
        }
        return true;
    }

    @Override
    Runnable giveUp(Waiter waiter) {
        Decision reservation = waiter.reservation();
        if (reservation != null) {
            turns.remove(waiter, reservation);
            waiter.answer(TurnedAway.before(reservation, clock.epochNanos()));
            return reservation::giveBack;
        }
        Line line = waiter.line();
        if (line == null) {
            // undecided
            waiter.answer(
                    Decision.allOf(waiter.charges.stream().map(TurnedAway::from).toList()));
            return NOTHING;
        }
        boolean first = releases.first(line) == waiter;
        releases.remove(waiter);
        waiter.refuse();
        // those behind may ask for less
        return first ? () -> inquiries.ask(line) : NOTHING;
    }

    @Override
    void released(String rule, String key) {
        if (!releases.isEmpty()) {
            inquiries.ask(new Line(rule, key));
        }
    }
}
