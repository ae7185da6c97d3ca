package dev.limiter.waiting;

import dev.limiter.Charge;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * FIFO queues, one for each rule and key. A request stands in all of its queues at once, so that requests have the same
 * order in each, and one of them is the head of all. Requests with priority stand ahead of the others. Entering and
 * leaving take constant time. Used with the lock of the room; {@link #size}, {@link #isBusy}, {@link
 * #isFull(Charge)} and {@link #isBehindOthers} need none.
 */
final class WaitingQueues {

    private final Map<QueueKey, Queue> queues = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /** Requests in order, and the permits that they take at least of each limit. */
    private static final class Lane {

        /** Each with the permits of all requests that came before it. */
        private final Map<Waiter, Long> waiters = new LinkedHashMap<>();

        /** The permits of all requests that ever came, and of those that have left. */
        private long came;

        private long left;

        void add(Waiter waiter, QueueKey key) {
            if (waiters.putIfAbsent(waiter, came) == null) {
                came += fewest(waiter, key);
            }
        }

        boolean remove(Waiter waiter, QueueKey key) {
            boolean removed = waiters.remove(waiter) != null;
            left += removed ? fewest(waiter, key) : 0;
            return removed;
        }

        /** The permits ahead of a request, or of all if it is not here; fewer where requests behind it have left. */
        long ahead(Waiter waiter) {
            return Math.max(waiters.getOrDefault(waiter, came) - left, 0);
        }

        static long fewest(Waiter waiter, QueueKey key) {
            return waiter.charges.stream()
                    .filter(charge -> QueueKey.of(charge).equals(key))
                    .mapToLong(Lane::fewest)
                    .sum();
        }

        private static long fewest(Charge charge) {
            return IntStream.range(0, charge.rule().limits().size())
                    .mapToLong(charge::permits)
                    .min()
                    .orElseThrow();
        }
    }

    private static final class Queue {

        private final Lane prior = new Lane();
        private final Lane others = new Lane();

        Lane laneOf(Waiter waiter) {
            return waiter.prior ? prior : others;
        }

        int size() {
            return prior.waiters.size() + others.waiters.size();
        }

        @Nullable
        Waiter first() {
            Set<Waiter> first = (prior.waiters.isEmpty() ? others : prior).waiters.keySet();
            return first.isEmpty() ? null : first.iterator().next();
        }

        /** A head whose attempt is under way may have its permits already: these are not counted twice. */
        long permitsAhead(Waiter waiter, QueueKey key) {
            Waiter first = first();
            long taking = first != null && first != waiter && first.trying ? Lane.fewest(first, key) : 0;
            return Math.max(prior.ahead(waiter) + (waiter.prior ? 0 : others.ahead(waiter)) - taking, 0);
        }
    }

    int size() {
        return size.get();
    }

    /** The number of queues. */
    int count() {
        return queues.size();
    }

    boolean isBusy(String rule, String key) {
        return size() > 0 && queues.containsKey(new QueueKey(rule, key));
    }

    /** Whether any request stands in a queue of that one. */
    boolean isBehindOthers(Waiter waiter) {
        return !queues.isEmpty() && waiter.queues.stream().anyMatch(queues::containsKey);
    }

    /** Whether one of its queues has no room for a request. */
    boolean isFull(Waiter waiter) {
        return waiter.charges.stream()
                .anyMatch(charge -> waiter.queues.contains(QueueKey.of(charge)) && isFull(charge));
    }

    /** Whether as many requests stand in the queue of a charge as may. */
    boolean isFull(Charge charge) {
        Queue queue = queues.get(QueueKey.of(charge));
        return (queue == null ? 0 : queue.size()) >= charge.maxWaiting();
    }

    void add(Waiter waiter) {
        for (QueueKey key : waiter.queues) {
            Queue queue = queues.computeIfAbsent(key, absent -> new Queue());
            queue.laneOf(waiter).add(waiter, key);
        }
        size.incrementAndGet();
    }

    /** Takes out a request, if it is there. Returns those that are heads since. */
    List<Waiter> remove(Waiter waiter) {
        Set<Waiter> next = new LinkedHashSet<>();
        boolean removed = false;
        for (QueueKey key : waiter.queues) {
            Queue queue = queues.get(key);
            boolean wasFirst = queue != null && queue.first() == waiter;
            if (queue != null && queue.laneOf(waiter).remove(waiter, key)) {
                removed = true;
                Waiter first = queue.first();
                if (first == null) {
                    queues.remove(key);
                } else if (wasFirst) {
                    next.add(first);
                }
            }
        }
        if (removed) {
            size.decrementAndGet();
        }
        return next.stream().filter(this::isHead).toList();
    }

    /** Whether a request is the first in all of its queues. */
    boolean isHead(Waiter waiter) {
        return waiter.queues.stream().allMatch(key -> first(key) == waiter);
    }

    @Nullable
    Waiter first(QueueKey key) {
        Queue queue = queues.get(key);
        return queue == null ? null : queue.first();
    }

    /** The permits that requests ahead of this one take at least, for each of its charges. */
    long[] permitsAhead(Waiter waiter) {
        return waiter.charges.stream()
                .map(QueueKey::of)
                .mapToLong(key -> {
                    Queue queue = waiter.queues.contains(key) ? queues.get(key) : null;
                    return queue == null ? 0 : queue.permitsAhead(waiter, key);
                })
                .toArray();
    }

    List<Waiter> waiters() {
        Set<Waiter> all = new LinkedHashSet<>();
        queues.values().forEach(queue -> {
            all.addAll(queue.prior.waiters.keySet());
            all.addAll(queue.others.waiters.keySet());
        });
        return List.copyOf(all);
    }
}
