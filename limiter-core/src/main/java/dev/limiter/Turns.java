package dev.limiter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The lines of those who have turns, in their order, one for each rule and key. With the room's lock held. */
final class Turns {

    private record Place(Waiter waiter, Decision part) {}

    private final Map<Line, Deque<Place>> lines = new HashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /** How many have a turn. Needs no lock. */
    int size() {
        return size.get();
    }

    /** Whether no more may wait for turns of the charge than do already. */
    boolean isFull(Charge charge) {
        Deque<Place> line = lines.get(Line.of(charge));
        return !charge.maxWait().isZero() && (line == null ? 0 : line.size()) >= charge.maxWaiting();
    }

    void add(Waiter waiter, Decision reservation, long now) {
        for (Decision part : reservation.parts()) {
            if (part.turn() > now) {
                lines.computeIfAbsent(Line.of(part), absent -> new ArrayDeque<>())
                        .add(new Place(waiter, part));
            }
        }
        waiter.reserve(reservation);
        size.incrementAndGet();
    }

    /** Takes one out who goes: those behind keep their turns. */
    void remove(Waiter waiter, Decision reservation) {
        for (Decision part : reservation.parts()) {
            Deque<Place> line = lines.get(Line.of(part));
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
            lines.remove(Line.of(part));
        }
    }

    /** Takes one out who gives up: those behind move up. */
    void giveUp(Waiter waiter, Decision reservation) {
        reservation.parts().forEach(part -> giveUpOne(waiter, part));
        size.decrementAndGet();
    }

    private void giveUpOne(Waiter waiter, Decision part) {
        Deque<Place> line = lines.get(Line.of(part));
        List<Place> behind = List.of();
        if (line != null) {
            behind = removeLast(waiter, line);
            dropIfEmpty(part, line);
        }
        part.giveUp(behind.stream().map(Place::part).toList());
        behind.forEach(place -> place.waiter.wake());
    }

    /** Takes the last place of a waiter out of a line; returns those behind. */
    private static List<Place> removeLast(Waiter waiter, Deque<Place> line) {
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

    /** All of them, each line in its order; one who has several turns is there several times. */
    List<Waiter> waiters() {
        List<Waiter> waiters = new ArrayList<>();
        lines.values().forEach(line -> line.forEach(place -> waiters.add(place.waiter)));
        return waiters;
    }
}
