package dev.limiter;

import static java.util.Comparator.comparingLong;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
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

    private record Place(Waiter waiter, Decision part) {}

    private final RateLimiterStorage storage;
    private final WaitTimer timer;
    private final TimeSource clock;
    private final ReentrantLock lock;

    /** Those who have turns, in their order. */
    private final Map<Line, Deque<Place>> turns = new HashMap<>();

    /** Those who wait for a release. Changed with the lock held, looked at without. */
    private final Map<Line, SortedSet<Waiter>> releases = new ConcurrentHashMap<>();

    /** Where something was released while this thread was deciding. */
    private final Deque<Line> released = new ArrayDeque<>();

    /** Of the last one who came to wait for a release. */
    private long number;

    private final AtomicInteger size = new AtomicInteger();
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
        return size.get();
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
        Charge heldUp = heldUp(charges);
        if (heldUp == null) {
            Decision now = storage.decide(atOnce(charges));
            if (now.permitted() || closed || !wouldWait(charges)) {
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

    private static List<Charge> atOnce(List<Charge> charges) {
        return charges.stream().map(charge -> charge.within(Duration.ZERO)).toList();
    }

    private static boolean wouldWait(List<Charge> charges) {
        return charges.stream().anyMatch(charge -> !charge.maxWait().isZero());
    }

    /** The first charge for which others wait already; null if there is none, or waiting is of no use. */
    private @Nullable Charge heldUp(List<Charge> charges) {
        if (releases.isEmpty() || charges.stream().anyMatch(WaitingRoom::isNever)) {
            return null;
        }
        for (Charge charge : charges) {
            if (charge.permits() > 0 && releases.containsKey(Line.of(charge))) {
                return charge;
            }
        }
        return null;
    }

    private static boolean isNever(Charge charge) {
        return charge.rule().limits().stream().anyMatch(limit -> charge.permits() > limit.capacity());
    }

    private @Nullable Decision join(Waiter waiter) {
        Charge heldUp = heldUp(waiter.charges);
        if (heldUp != null) {
            return joinForRelease(waiter, heldUp, turnedAway(waiter.charges, heldUp));
        }
        if (closed || waiter.charges.stream().anyMatch(this::isFull)) {
            return storage.decide(atOnce(waiter.charges));
        }
        return place(waiter, storage.decide(waiter.charges));
    }

    private Decision turnedAway(List<Charge> charges, Charge heldUp) {
        return Decision.allOf(charges.stream()
                .map(charge -> charge.equals(heldUp) || releases.containsKey(Line.of(charge))
                        ? new TurnedAway(charge)
                        : storage.peek(charge.rule(), charge.key()))
                .toList());
    }

    private boolean isFull(Charge charge) {
        Deque<Place> line = turns.get(Line.of(charge));
        return !charge.maxWait().isZero() && (line == null ? 0 : line.size()) >= charge.maxWaiting();
    }

    /** The answer, if the decision is one; null if the waiter has to wait for what was decided. */
    private @Nullable Decision place(Waiter waiter, Decision decision) {
        if (decision.permitted()) {
            return decision.delayNanos() == 0 ? decision : joinForTurn(waiter, decision);
        }
        Charge held = closed ? null : heldBack(waiter.charges, decision);
        return held == null ? decision : joinForRelease(waiter, held, decision);
    }

    /** The charge that may wait for a release, if that is all that keeps the request from being permitted. */
    private static @Nullable Charge heldBack(List<Charge> charges, Decision refused) {
        for (Decision part : refused.parts()) {
            for (LimitStatus status : part.limits()) {
                if (!status.permitted() && status.retryAfter().isPresent()) {
                    return null;
                }
            }
        }
        for (Decision part : refused.parts()) {
            if (!part.permitted() && part.waitNanos(part.deciding()) == Decision.UNKNOWN) {
                return charge(charges, part);
            }
        }
        return null;
    }

    /** The charge that was refused, with the key under which it is counted, if it would wait. */
    private static @Nullable Charge charge(List<Charge> charges, Decision refused) {
        List<Charge> sameRule = charges.stream()
                .filter(charge -> charge.rule().name().equals(refused.rule().name()))
                .toList();
        // if keys share a state because there is no room, no charge has the key of that
        return sameRule.stream()
                .filter(charge -> charge.key().equals(refused.key()))
                .findFirst()
                .or(() -> sameRule.stream().findFirst())
                .filter(charge -> !charge.maxWait().isZero())
                .map(charge -> new Charge(charge.rule(), refused.key(), 1, 0, charge.maxWait(), charge.maxWaiting()))
                .orElse(null);
    }

    private @Nullable Decision joinForTurn(Waiter waiter, Decision reservation) {
        long now = clock.epochNanos();
        for (Decision part : reservation.parts()) {
            if (part.turn() > now) {
                turns.computeIfAbsent(Line.of(part), absent -> new ArrayDeque<>())
                        .add(new Place(waiter, part));
            }
        }
        waiter.reserve(reservation);
        size.incrementAndGet();
        return null;
    }

    private @Nullable Decision joinForRelease(Waiter waiter, Charge charge, Decision refusal) {
        SortedSet<Waiter> line = releases.get(Line.of(charge));
        if (closed || charge.maxWait().isZero() || (line == null ? 0 : line.size()) >= charge.maxWaiting()) {
            return refusal;
        }
        waiter.refusal(refusal);
        lineUp(waiter, charge);
        size.incrementAndGet();
        return null;
    }

    private void lineUp(Waiter waiter, Charge charge) {
        Line line = Line.of(charge);
        waiter.lineUp(line, charge.maxWait(), ++number);
        releases.computeIfAbsent(line, absent -> new TreeSet<>(comparingLong(Waiter::number)))
                .add(waiter);
        // what was released before the line was there was not heard of
        released.add(line);
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
                takeOut(waiter, reservation);
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

    private void takeOut(Waiter waiter, Decision reservation) {
        for (Decision part : reservation.parts()) {
            Deque<Place> line = turns.get(Line.of(part));
            if (line != null) {
                remove(waiter, line);
                dropIfEmpty(part, line);
            }
        }
        size.decrementAndGet();
    }

    private static void remove(Waiter waiter, Deque<Place> line) {
        Place first = line.peekFirst();
        if (first != null && first.waiter == waiter) {
            line.removeFirst();
        } else {
            line.removeIf(place -> place.waiter == waiter);
        }
    }

    private void dropIfEmpty(Decision part, Deque<Place> line) {
        if (line.isEmpty()) {
            turns.remove(Line.of(part));
        }
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
                    reservation.parts().forEach(part -> giveUp(waiter, part));
                    size.decrementAndGet();
                }
                waiter.refuse();
            }
            admitReleased();
        } finally {
            lock.unlock();
        }
    }

    private void takeOut(Waiter waiter) {
        Line line = waiter.line();
        SortedSet<Waiter> waiters = line == null ? null : releases.get(line);
        if (line != null && waiters != null && waiters.remove(waiter)) {
            size.decrementAndGet();
            // those behind may ask for less
            released.add(line);
        }
    }

    private void giveUp(Waiter waiter, Decision part) {
        Deque<Place> line = turns.get(Line.of(part));
        List<Place> behind = List.of();
        if (line != null) {
            behind = takeOut(waiter, line);
            dropIfEmpty(part, line);
        }
        part.giveUp(behind.stream().map(Place::part).toList());
        behind.forEach(place -> place.waiter.wake());
    }

    /** Takes the last place of a waiter out of a line; returns those behind. */
    private static List<Place> takeOut(Waiter waiter, Deque<Place> line) {
        Deque<Place> behind = new ArrayDeque<>();
        for (Iterator<Place> places = line.descendingIterator(); places.hasNext(); ) {
            Place place = places.next();
            if (place.waiter == waiter) {
                places.remove();
                return List.copyOf(behind);
            }
            behind.addFirst(place);
        }
        return List.of();
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
            SortedSet<Waiter> waiters = releases.get(line);
            while (waiters != null && !waiters.isEmpty() && admit(line, waiters)) {}
            if (waiters != null && waiters.isEmpty()) {
                releases.remove(line);
            }
        }
    }

    /** Decides on the first in line; false if it has to go on waiting there. */
    private boolean admit(Line line, SortedSet<Waiter> waiters) {
        Waiter first = waiters.first();
        if (closed || !first.isPresent()) {
            waiters.remove(first);
            size.decrementAndGet();
            first.refuse();
            return true;
        }
        Decision decision = storage.decide(first.chargesLeft(clock.epochNanos()));
        Charge held = decision.permitted() ? null : heldBack(first.charges, decision);
        if (held != null && Line.of(held).equals(line)) {
            return false;
        }
        waiters.remove(first);
        if (held != null) {
            // here there is room by now, but not where else it has to be let in
            lineUp(first, held);
            first.wake();
            return true;
        }
        size.decrementAndGet();
        if (decision.delayNanos() > 0) {
            joinForTurn(first, decision);
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
            List<Waiter> all = new ArrayList<>();
            releases.values().forEach(all::addAll);
            turns.values().forEach(line -> line.forEach(place -> all.add(place.waiter)));
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
