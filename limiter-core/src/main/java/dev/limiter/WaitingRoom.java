package dev.limiter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
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
 * leaves late takes nothing from those behind. Who gives up before returns its permits, and the turns behind move up. So
 * that nobody is overlooked there, permits for a later turn are taken with the room's lock held, for the time of a
 * decision in memory; nobody holds it while waiting, and what can be had now is had without it.
 */
final class WaitingRoom {

    private final RateLimiterStorage storage;
    private final WaitTimer timer;
    private final TimeSource clock;
    private final ReentrantLock lock;

    private final Turns turns = new Turns();
    private final ReleaseLines releases = new ReleaseLines();

    /** Where something was released while this thread was deciding. */
    private final Deque<Line> released = new ArrayDeque<>();

    private volatile boolean closed;

    WaitingRoom(RateLimiterStorage storage, WaitTimer timer) {
        this(storage, timer, new ReentrantLock());
    }

    WaitingRoom(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        this.storage = storage;
        this.lock = lock;
        this.timer = timer;
        this.clock = storage.clock();
        storage.onRelease(this::released);
    }

    /** How many wait. */
    int size() {
        return turns.size() + releases.size();
    }

    /** The permission to go on at once, without any cost of waiting; null if it is not as simple as that. */
    @Nullable
    Decision passBy(Rule rule, String key, long permits) {
        if (!releases.isEmpty()) {
            return null;
        }
        Decision decision = storage.decide(rule, key, permits);
        return decision.permitted() ? decision : null;
    }

    /** Waits in the calling thread. An interrupt ends the wait with a refusal, and stays. */
    Decision await(List<Charge> charges) {
        Thread thread = Thread.currentThread();
        Waiter waiter = new Waiter(charges, clock.epochNanos(), () -> true, () -> LockSupport.unpark(thread));
        Decision answer = enter(waiter);
        while (answer == null) {
            long rest = waiter.due() - clock.epochNanos();
            if (rest > 0) {
                LockSupport.parkNanos(this, Math.min(rest, timer.longestNap()));
            } else {
                due(waiter);
            }
            if (thread.isInterrupted()) {
                leave(waiter);
            }
            answer = waiter.answer();
        }
        return answer;
    }

    /** Waits without a thread. Cancelling the future gives the place back. */
    CompletableFuture<Decision> queue(List<Charge> charges, BooleanSupplier present) {
        Alarm alarm = new Alarm(this, timer, clock);
        Waiter waiter = new Waiter(charges, clock.epochNanos(), present, alarm::wake);
        Decision answer = enter(waiter);
        return answer != null ? CompletableFuture.completedFuture(answer) : alarm.of(waiter);
    }

    /** The answer, if it is known at once; null if the waiter was put in line. */
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
        if (closed || waiter.charges.stream().anyMatch(turns::isFull)) {
            return storage.decide(waiter.chargesAtOnce());
        }
        return place(waiter, storage.decide(waiter.charges));
    }

    private Decision turnedAway(List<Charge> charges, Charge heldUp) {
        return Decision.allOf(charges.stream()
                .map(charge -> charge.equals(heldUp) || releases.contains(charge)
                        ? new TurnedAway(charge)
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

    /** What there is to do when the time of a waiter has come. */
    void due(Waiter waiter) {
        if (!isDue(waiter)) {
            return;
        }
        if (waiter.reservation() != null && !waiter.isPresent()) {
            leave(waiter);
            return;
        }
        lock.lock();
        try {
            // may have got a turn in the meantime, that is still to come
            Decision reservation = waiter.reservation();
            if (isDue(waiter) && reservation != null) {
                turns.remove(waiter, reservation);
                waiter.answer(reservation);
            } else if (isDue(waiter)) {
                leave(waiter);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isDue(Waiter waiter) {
        return waiter.answer() == null && clock.epochNanos() >= waiter.due();
    }

    /** Gives up: those behind move up. Nothing happens to one who has an answer. */
    void leave(Waiter waiter) {
        lock.lock();
        try {
            if (waiter.answer() == null) {
                Decision reservation = waiter.reservation();
                if (reservation == null) {
                    takeOut(waiter);
                } else {
                    turns.giveUp(waiter, reservation);
                }
                waiter.refuse();
            }
            admitReleased();
        } finally {
            lock.unlock();
        }
    }

    private void takeOut(Waiter waiter) {
        Line line = releases.remove(waiter);
        if (line != null) {
            // those behind may ask for less
            released.add(line);
        }
    }

    private void released(String rule, String key) {
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

    /** Sends all who wait away, refused; from now on nobody waits. */
    void close() {
        lock.lock();
        try {
            closed = true;
            List<Waiter> all = new ArrayList<>(releases.waiters());
            all.addAll(turns.waiters());
            // the last ones first: nobody has to move up
            Collections.reverse(all);
            all.forEach(this::leave);
        } finally {
            lock.unlock();
        }
    }

    void open() {
        closed = false;
    }
}
