package dev.limiter;

import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The queues of waiters for a release, one for each rule and key, in the order in which they began to wait for any. A
 * waiter is in one at a time. Used with the lock held; {@link #isEmpty}, {@link #size}, {@link #comeBefore} and {@link
 * #contended} may be asked without.
 */
final class ReleaseQueues {

    private final Map<WaitKey, Queue> queues = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /** How many wait for each rule and key: in the queue of another key, where keys share a state. */
    private final Map<WaitKey, Integer> waiting = new ConcurrentHashMap<>();

    /** A charge of a waiter, and the queue of the releases that it waits for. */
    record AwaitedRelease(Charge charge, WaitKey queue) {

        static AwaitedRelease of(Charge charge) {
            return new AwaitedRelease(charge, WaitKey.of(charge));
        }
    }

    /** The number of the last waiter that came. */
    private long number;

    /** A request that brings limits, and the last waiter that goes by them: itself, or the last before it. */
    private record Newcomer(long number, List<Charge> charges) {

        static Newcomer later(Newcomer one, Newcomer other) {
            return one.number > other.number ? one : other;
        }
    }

    /**
     * Waiters in order. Each goes by the largest of its own limits and those of the requests that came behind it: so a
     * raised limit counts for all who stand before the request that brings it, a lowered one for none of them, and no
     * waiter holds up one behind it for which there is room. Only the first is decided on, so only the first is raised,
     * whenever the queue changes.
     */
    private static final class Queue {

        private final SortedSet<Waiter> waiters = new TreeSet<>(comparingLong(Waiter::number));

        /** For each of the limits of the rule, the last request that brought them; none that all waiters are behind. */
        private final Map<Rule, Newcomer> newcomers = new HashMap<>();

        void add(Waiter waiter, Rule limits) {
            waiters.add(waiter);
            goBy(limits, new Newcomer(waiter.number(), waiter.charges));
        }

        boolean remove(Waiter waiter) {
            boolean removed = waiters.remove(waiter);
            if (!waiters.isEmpty()) {
                raiseFirst();
            }
            return removed;
        }

        /** Whether the first waiter has larger limits by that. */
        boolean goBy(Rule limits, Newcomer newcomer) {
            newcomers.merge(limits, newcomer, Newcomer::later);
            return raiseFirst();
        }

        private boolean raiseFirst() {
            Waiter first = waiters.first();
            newcomers.values().removeIf(newcomer -> newcomer.number < first.number());
            boolean raised = false;
            for (Newcomer newcomer : newcomers.values()) {
                raised |= first.raise(newcomer.charges);
            }
            return raised;
        }
    }

    /** How many wait. */
    int size() {
        return size.get();
    }

    /** Whether nothing waits. */
    boolean isEmpty() {
        return queues.isEmpty();
    }

    /** Whether waiters for the rule and key of the charge come first: not if it takes nothing of what they wait for. */
    boolean comeBefore(Charge charge) {
        return charge.takesOf(Limit::isHeld) && queues.containsKey(WaitKey.of(charge));
    }

    /**
     * Has waiters go by the limits of a request that comes, where they are raised, whether it will wait or not. Returns
     * the queues that may have room now.
     */
    List<WaitKey> raise(Waiter request) {
        // one that waited in line before takes its place again, in front of others
        long place = request.number() == 0 ? number : request.number();
        Newcomer newcomer = new Newcomer(place, request.charges);
        List<WaitKey> raised = new ArrayList<>();
        for (Charge charge : request.charges) {
            WaitKey key = WaitKey.of(charge);
            Queue queue = queues.get(key);
            if (queue != null && queue.goBy(charge.rule(), newcomer)) {
                raised.add(key);
            }
        }
        return raised;
    }

    /** The first charge for which others wait already; null if there is none, or waiting is of no use. */
    @Nullable
    Charge contended(List<Charge> charges) {
        if (isEmpty() || charges.stream().anyMatch(ReleaseQueues::isNever)) {
            return null;
        }
        for (Charge charge : charges) {
            if (comeBefore(charge)) {
                return charge;
            }
        }
        return null;
    }

    private static boolean isNever(Charge charge) {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size())
                .anyMatch(i -> charge.permits(i) > limits.get(i).capacity());
    }

    /** Whether as many wait for the charge as may, or it would not wait. */
    boolean isFull(Charge charge) {
        return charge.maxWait().isZero() || waiting.getOrDefault(WaitKey.of(charge), 0) >= charge.maxWaiting();
    }

    /** Adds a waiter; one that comes from another queue keeps its number. */
    WaitKey add(Waiter waiter, AwaitedRelease awaited) {
        WaitKey key = awaited.queue();
        waiter.waitForRelease(awaited, ++number);
        waiting.merge(WaitKey.of(awaited.charge()), 1, Integer::sum);
        queues.computeIfAbsent(key, absent -> new Queue())
                .add(waiter, awaited.charge().rule());
        size.incrementAndGet();
        return key;
    }

    /** Takes out a waiter; returns where it was, null if nowhere. */
    @Nullable
    WaitKey remove(Waiter waiter) {
        AwaitedRelease awaited = waiter.awaited();
        Queue queue = awaited == null ? null : queues.get(awaited.queue());
        if (awaited == null || queue == null || !queue.remove(waiter)) {
            return null;
        }
        WaitKey key = awaited.queue();
        waiting.computeIfPresent(WaitKey.of(awaited.charge()), (own, count) -> count == 1 ? null : count - 1);
        if (queue.waiters.isEmpty()) {
            queues.remove(key);
        }
        size.decrementAndGet();
        return key;
    }

    /** The waiter that is next when something is released; null if there is none. */
    @Nullable
    Waiter first(WaitKey key) {
        Queue queue = queues.get(key);
        return queue == null ? null : queue.waiters.first();
    }

    /** All of them, each queue in its order. */
    List<Waiter> waiters() {
        List<Waiter> waiters = new ArrayList<>();
        queues.values().forEach(queue -> waiters.addAll(queue.waiters));
        return waiters;
    }
}
