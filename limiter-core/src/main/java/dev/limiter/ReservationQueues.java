package dev.limiter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The waiters that have reservations, and the queues in which their turns move up. Used with the lock held. */
final class ReservationQueues {

    private final WaitTimer timer;
    private final TimeSource clock;
    private final Consumer<TurnQueue> onTimer;

    private final Set<Waiter> waiters = new LinkedHashSet<>();
    private final Map<WaitKey, Integer> waiting = new HashMap<>();
    private final Map<Object, TurnQueue> queues = new IdentityHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /**
     * {@code onTimer}: called without the lock when a queue should be asked for waiters that are {@linkplain #come
     * due}.
     */
    ReservationQueues(WaitTimer timer, TimeSource clock, Consumer<TurnQueue> onTimer) {
        this.timer = timer;
        this.clock = clock;
        this.onTimer = onTimer;
    }

    /** How many waiters have a turn. Needs no lock. */
    int size() {
        return size.get();
    }

    /** Whether as many wait for turns of the charge as may: not if it takes nothing for which there are turns. */
    boolean isFull(Charge charge) {
        return !charge.maxWait().isZero()
                && charge.takesOf(limit -> !limit.isHeld())
                && waiting.getOrDefault(WaitKey.of(charge), 0) >= charge.maxWaiting();
    }

    void add(Waiter waiter, Decision decision, long now) {
        List<Reservation> reservations = new ArrayList<>();
        List<Decision> parts = decision.parts();
        List<Charge> charges = Charge.merged(waiter.charges);
        for (int i = 0; i < parts.size(); i++) {
            Decision part = parts.get(i);
            QueuedTurn turn = part.queuedTurn();
            // the key of a part is another one where keys share a state
            WaitKey own = charges.size() == parts.size() ? WaitKey.of(charges.get(i)) : WaitKey.of(part);
            WaitKey waitsFor = part.turn() > now ? own : null;
            if (waitsFor != null) {
                waiting.merge(waitsFor, 1, Integer::sum);
            }
            reservations.add(new Reservation(part, waitsFor, turn == null ? null : enqueue(waiter, turn)));
        }
        waiter.reserve(decision, reservations);
        waiters.add(waiter);
        size.incrementAndGet();
    }

    private TurnQueue.Place enqueue(Waiter waiter, QueuedTurn turn) {
        return queues.computeIfAbsent(turn.state(), state -> new TurnQueue(turn.state()))
                .add(waiter, turn);
    }

    /** When the turn of a waiter comes, as of now. */
    long turn(Waiter waiter, Decision decision) {
        waiter.places().forEach(TurnQueue.Place::settle);
        return decision.turn();
    }

    /** Takes out a waiter that goes: those behind keep their turns. */
    void remove(Waiter waiter) {
        leave(waiter);
        for (TurnQueue.Place place : waiter.places()) {
            place.queue().remove(place);
            tend(place.queue());
        }
    }

    /**
     * Takes out a waiter that gives up and returns its permits: those behind move up. Counted until they are returned.
     */
    void giveUp(Waiter waiter) {
        for (Reservation reservation : waiter.reservations()) {
            TurnQueue.Place place = reservation.place();
            if (place == null) {
                waiter.giveBack(() -> reservation.part().giveUp(List.of()));
            } else {
                waiter.giveBack(() -> place.queue().giveUp(place));
                tend(place.queue());
            }
        }
        leave(waiter);
    }

    private void leave(Waiter waiter) {
        waiters.remove(waiter);
        size.decrementAndGet();
        for (Reservation reservation : waiter.reservations()) {
            WaitKey waitsFor = reservation.waitsFor();
            if (waitsFor != null) {
                waiting.computeIfPresent(waitsFor, (key, count) -> count == 1 ? null : count - 1);
            }
        }
    }

    /** Forgets a queue that is empty; sets the timer of another. */
    private void tend(TurnQueue queue) {
        if (queue.isEmpty()) {
            queue.cancelTimer.run();
            queues.remove(queue.state, queue);
            return;
        }
        long first = queue.firstMoved();
        if (first < queue.timerAt) {
            queue.cancelTimer.run();
            queue.timerAt = first;
            queue.cancelTimer = timer.after(Math.max(first - clock.epochNanos(), 0), () -> onTimer.accept(queue));
        }
    }

    /** The waiters whose turns in the queue have come: those of which they may not know, too. */
    List<Waiter> come(TurnQueue queue) {
        queue.timerAt = Long.MAX_VALUE;
        List<Waiter> come = queue.come(clock.epochNanos());
        tend(queue);
        return come;
    }

    /** All of them in the order of their arrival. */
    List<Waiter> waiters() {
        return List.copyOf(waiters);
    }
}
