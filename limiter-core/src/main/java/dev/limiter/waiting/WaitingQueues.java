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
 * FIFO queues, one per rule and key. A request joins all of its queues at once, so that requests have the same order in
 * each, and one is the head of all. Requests with priority are ahead of the others. Adding and removing take constant
 * time. Requires the lock of {@link WaitingRoom}, except for {@link #size}, {@link #isBusy}, {@link #isFull(Charge)}
 * and {@link #isBehindOthers}.
 */
final class WaitingQueues {

    private final Map<QueueKey, Queue> queues = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    /** Requests in order, with the fewest permits that each takes from any limit. */
    private static final class Lane {

        /** Each request, with the permits of all requests that came before it. */
        private final Map<Waiter, Long> waiters = new LinkedHashMap<>();

        /** The permits of all requests that ever came, and of those that left. */
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

        /**
         * Returns the permits ahead of a request, or of all if it is not here; too low after requests behind it have
         * left.
         */
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

        private final Lane priority = new Lane();
        private final Lane others = new Lane();

        Lane laneOf(Waiter waiter) {
            return waiter.hasPriority ? priority : others;
        }

        int size() {
            return priority.waiters.size() + others.waiters.size();
        }

        @Nullable
        Waiter first() {
            Set<Waiter> first = (priority.waiters.isEmpty() ? others : priority).waiters.keySet();
            return first.isEmpty() ? null : first.iterator().next();
        }

        /**
         * Returns the permits ahead of a request. Excludes a head that is being decided, because it may have its
         * permits already; the request is checked again if the head does not get them.
         */
        long permitsAhead(Waiter waiter, QueueKey key) {
            Waiter first = first();
            long taking = 0;
            if (first != null && first != waiter && first.trying) {
                taking = Lane.fewest(first, key);
                first.behindAttempt.add(waiter);
            }
            return Math.max(priority.ahead(waiter) + (waiter.hasPriority ? 0 : others.ahead(waiter)) - taking, 0);
        }
    }

    int size() {
        return size.get();
    }

    /** Returns the number of queues. */
    int count() {
        return queues.size();
    }

    boolean isBusy(String rule, String key) {
        return size() > 0 && queues.containsKey(new QueueKey(rule, key));
    }

    /** Returns whether other requests wait in a queue of this one. */
    boolean isBehindOthers(Waiter waiter) {
        return !queues.isEmpty() && waiter.queues.stream().anyMatch(queues::containsKey);
    }

    /** Returns whether one of the request's queues is full. */
    boolean isFull(Waiter waiter) {
        return waiter.charges.stream()
                .anyMatch(charge -> waiter.queues.contains(QueueKey.of(charge)) && isFull(charge));
    }

    /** Returns whether the queue of a charge has its maximum length. */
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

    /** Removes a request if present, and returns the new heads. */
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

    /** Returns whether a request is the first in all of its queues. */
    boolean isHead(Waiter waiter) {
        return waiter.queues.stream().allMatch(key -> first(key) == waiter);
    }

    @Nullable
    Waiter first(QueueKey key) {
        Queue queue = queues.get(key);
        return queue == null ? null : queue.first();
    }

    /** Returns a lower bound of the permits that requests ahead take, per charge. */
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
            all.addAll(queue.priority.waiters.keySet());
            all.addAll(queue.others.waiters.keySet());
        });
        return List.copyOf(all);
    }
}
