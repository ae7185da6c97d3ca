package dev.limiter;

import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The lines of those who wait for a release, in the order in which they came to wait for any, one for each rule and key.
 * A waiter is in one at a time. Changed with the room's lock held; may be looked at without.
 */
final class ReleaseLines {

    private final Map<Line, SortedSet<Waiter>> lines = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /** Of the last one who came. */
    private long number;

    /** How many wait. */
    int size() {
        return size.get();
    }

    /** Whether nobody waits. */
    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** Whether somebody waits for what the charge is about. */
    boolean contains(Charge charge) {
        return lines.containsKey(Line.of(charge));
    }

    /** The first charge for which others wait already; null if there is none, or waiting is of no use. */
    @Nullable
    Charge heldUp(List<Charge> charges) {
        if (isEmpty() || charges.stream().anyMatch(ReleaseLines::isNever)) {
            return null;
        }
        for (Charge charge : charges) {
            if (charge.permits() > 0 && contains(charge)) {
                return charge;
            }
        }
        return null;
    }

    private static boolean isNever(Charge charge) {
        return charge.rule().limits().stream().anyMatch(limit -> charge.permits() > limit.capacity());
    }

    /** Whether one more may not wait for what the charge is about, be it that nobody may. */
    boolean isFull(Charge charge) {
        SortedSet<Waiter> line = lines.get(Line.of(charge));
        return charge.maxWait().isZero() || (line == null ? 0 : line.size()) >= charge.maxWaiting();
    }

    /** Puts one in line; who waited elsewhere keeps its place among all. */
    Line add(Waiter waiter, Charge charge) {
        Line line = Line.of(charge);
        waiter.lineUp(line, charge.maxWait(), ++number);
        lines.computeIfAbsent(line, absent -> new TreeSet<>(comparingLong(Waiter::number)))
                .add(waiter);
        size.incrementAndGet();
        return line;
    }

    /** Takes one out; returns where it was, null if nowhere. */
    @Nullable
    Line remove(Waiter waiter) {
        Line line = waiter.line();
        SortedSet<Waiter> waiters = line == null ? null : lines.get(line);
        if (line == null || waiters == null || !waiters.remove(waiter)) {
            return null;
        }
        if (waiters.isEmpty()) {
            lines.remove(line);
        }
        size.decrementAndGet();
        return line;
    }

    /** Whose turn it is when something is released; null if nobody waits there. */
    @Nullable
    Waiter first(Line line) {
        SortedSet<Waiter> waiters = lines.get(line);
        return waiters == null ? null : waiters.first();
    }

    /** All of them, each line in its order. */
    List<Waiter> waiters() {
        List<Waiter> waiters = new ArrayList<>();
        lines.values().forEach(waiters::addAll);
        return waiters;
    }
}
