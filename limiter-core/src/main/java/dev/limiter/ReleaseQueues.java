package dev.limiter;

import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
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
 * waiter is in one at a time. Changed with the lock held; may be looked at without.
 */
final class ReleaseQueues {

    private final Map<WaitKey, Queue> queues = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /** How many wait for each rule and key: in the queue of another key, where keys share a state. */
    private final Map<WaitKey, Integer> waiting = new ConcurrentHashMap<>();

    /** A charge of a waiter, and the queue of the releases that it waits for. */
    record Held(Charge charge, WaitKey queue) {

        static Held of(Charge charge) {
            return new Held(charge, WaitKey.of(charge));
        }
    }

    /** The number of the last waiter that came. */
    private long number;

    /** Waiters in order, and the limits of the request that came last: the others go by those where they are raised. */
    private static final class Queue {

        private final SortedSet<Waiter> waiters = new TreeSet<>(comparingLong(Waiter::number));
        private List<Charge> newest = List.of();
        private long newestCame = Long.MIN_VALUE;

        void goBy(Waiter request) {
            if (request.came() >= newestCame) {
                newestCame = request.came();
                newest = request.charges;
            }
        }

        /** Has the first waiter go by the newest limits; whether any of its own are raised by that. */
        boolean raiseFirst() {
            return waiters.first().raise(newest);
        }

        Waiter first() {
            raiseFirst();
            return waiters.first();
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
     * Has waiters go by the limits of a request that comes, where they are raised. Returns the queues that may have
     * room now.
     */
    List<WaitKey> raise(Waiter request) {
        List<WaitKey> raised = new ArrayList<>();
        for (Charge charge : request.charges) {
            WaitKey key = WaitKey.of(charge);
            Queue queue = queues.get(key);
            if (queue != null) {
                queue.goBy(request);
                if (queue.raiseFirst()) {
                    raised.add(key);
                }
            }
        }
        return raised;
    }

    /** The first charge for which others wait already; null if there is none, or waiting is of no use. */
    @Nullable
    Charge heldUp(List<Charge> charges) {
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
    WaitKey add(Waiter waiter, Held held) {
        WaitKey key = held.queue();
        waiter.waitForRelease(held, ++number);
        waiting.merge(WaitKey.of(held.charge()), 1, Integer::sum);
        Queue queue = queues.computeIfAbsent(key, absent -> new Queue());
        queue.waiters.add(waiter);
        if (waiter.came() > queue.newestCame) {
            queue.goBy(waiter);
        }
        size.incrementAndGet();
        return key;
    }

    /** Takes out a waiter; returns where it was, null if nowhere. */
    @Nullable
    WaitKey remove(Waiter waiter) {
        Held held = waiter.held();
        Queue queue = held == null ? null : queues.get(held.queue());
        if (held == null || queue == null || !queue.waiters.remove(waiter)) {
            return null;
        }
        WaitKey key = held.queue();
        waiting.computeIfPresent(WaitKey.of(held.charge()), (own, count) -> count == 1 ? null : count - 1);
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
        return queue == null ? null : queue.first();
    }

    /** All of them, each queue in its order. */
    List<Waiter> waiters() {
        List<Waiter> waiters = new ArrayList<>();
        queues.values().forEach(queue -> waiters.addAll(queue.waiters));
        return waiters;
    }
}
