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

    private final Map<WaitKey, SortedSet<Waiter>> queues = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /** The number of the last waiter that came. */
    private long number;

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
        return takesOfWhatIsHeld(charge) && queues.containsKey(WaitKey.of(charge));
    }

    private static boolean takesOfWhatIsHeld(Charge charge) {
        List<Limit> limits = charge.rule().limits();
        return charge.costs().isEmpty()
                ? charge.permits() > 0
                : IntStream.range(0, limits.size())
                        .anyMatch(i -> charge.permits(i) > 0 && limits.get(i).isHeld());
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
        SortedSet<Waiter> queue = queues.get(WaitKey.of(charge));
        return charge.maxWait().isZero() || (queue == null ? 0 : queue.size()) >= charge.maxWaiting();
    }

    /** Adds a waiter; one that comes from another queue keeps its number. */
    WaitKey add(Waiter waiter, Charge charge) {
        WaitKey key = WaitKey.of(charge);
        waiter.waitForRelease(key, charge.maxWait(), ++number);
        queues.computeIfAbsent(key, absent -> new TreeSet<>(comparingLong(Waiter::number)))
                .add(waiter);
        size.incrementAndGet();
        return key;
    }

    /** Takes out a waiter; returns where it was, null if nowhere. */
    @Nullable
    WaitKey remove(Waiter waiter) {
        WaitKey key = waiter.queue();
        SortedSet<Waiter> queue = key == null ? null : queues.get(key);
        if (key == null || queue == null || !queue.remove(waiter)) {
            return null;
        }
        if (queue.isEmpty()) {
            queues.remove(key);
        }
        size.decrementAndGet();
        return key;
    }

    /** The waiter that is next when something is released; null if there is none. */
    @Nullable
    Waiter first(WaitKey key) {
        SortedSet<Waiter> queue = queues.get(key);
        return queue == null ? null : queue.first();
    }

    /** All of them, each queue in its order. */
    List<Waiter> waiters() {
        List<Waiter> waiters = new ArrayList<>();
        queues.values().forEach(waiters::addAll);
        return waiters;
    }
}
