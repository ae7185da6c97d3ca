package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.RateLimiterStorage;
import dev.limiter.ReleaseListener;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests that stand in queues. The head of a queue tries again, as a request that does not wait: when permits are
 * released or refunded, when the time to retry is over, and every 25 ms where the storage does not report all releases.
 * Thread-safe; the storage and other code is called without the lock, so a thread that releases permits may hold locks.
 */
final class QueuedRequests implements ReleaseListener {

    static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** So many queues are polled every 25 ms; more of them, each less often. */
    private static final int POLLED_OFTEN = 100;

    final WaitingQueues queues = new WaitingQueues();

    private final RateLimiterStorage storage;
    private final TimeSource clock;
    private final WaitTimer timer;
    private final ReentrantLock lock;
    private volatile boolean polling;
    private volatile boolean closed;

    QueuedRequests(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        this.storage = storage;
        this.clock = storage.clock();
        this.timer = timer;
        this.lock = lock;
        this.polling = storage.isRemote();
    }

    /** Decides on a request at once if no other waits for the same; else, or if it is rejected, it waits. */
    void enter(Waiter waiter) {
        if (closed || !queues.isBehindOthers(waiter)) {
            then(waiter, Calls.decide(storage, waiter.chargesAtOnce()), (decision, failure) -> {
                if (decision == null || decision.permitted() || waiter.isHopeless(decision, clock.epochNanos())) {
                    end(waiter, decision, failure);
                } else {
                    join(waiter, decision);
                }
            });
        } else {
            join(waiter, null);
        }
    }

    /** {@code rejected}: null if others were there first. */
    private void join(Waiter waiter, @Nullable Decision rejected) {
        boolean joins;
        boolean first = false;
        List<Charge> asked = List.of();
        lock.lock();
        try {
            waiter.last = rejected;
            joins = !waiter.done && !closed && !isFull(waiter);
            if (joins) {
                asked = chargesBehindOthers(waiter);
                queues.add(waiter);
                first = queues.isHead(waiter);
                setTimer(waiter, waiter.deadline);
            }
        } finally {
            lock.unlock();
        }
        if (joins) {
            waiter.begin();
        }
        if (first) {
            // permits may have become free since it was rejected
            serve(List.of(waiter));
        } else if (joins) {
            look(waiter, asked);
        } else if (rejected != null) {
            end(waiter, rejected, null);
        } else {
            then(waiter, Calls.peek(storage, waiter.chargesAtOnce()), (decision, failure) -> {
                waiter.last = decision;
                end(waiter, decision == null ? null : waiter.rejection(), failure);
            });
        }
    }

    private boolean isFull(Waiter waiter) {
        return waiter.charges.stream()
                .anyMatch(charge -> waiter.queues.contains(QueueKey.of(charge)) && queues.isFull(charge));
    }

    /** Rejects a request that cannot be served in time behind those in front of it. */
    private void look(Waiter waiter, List<Charge> asked) {
        then(waiter, Calls.peek(storage, asked), (decision, failure) -> {
            boolean rejected = decision != null && !decision.permitted();
            if (decision == null || rejected && waiter.isHopeless(decision, clock.epochNanos())) {
                end(waiter, decision, failure);
            } else {
                keep(waiter, decision);
            }
        });
    }

    private void keep(Waiter waiter, Decision look) {
        lock.lock();
        try {
            waiter.last = waiter.last == null ? look : waiter.last;
        } finally {
            lock.unlock();
        }
    }

    /** The charges with the permits of those in front added, as far as they can be had at once. */
    private List<Charge> chargesBehindOthers(Waiter waiter) {
        List<Charge> behind = new ArrayList<>(waiter.charges.size());
        for (Charge charge : waiter.charges) {
            behind.add(plus(charge.within(Duration.ZERO), queues.permitsAhead(waiter, charge)));
        }
        return behind;
    }

    private static Charge plus(Charge charge, long ahead) {
        if (ahead == 0) {
            return charge;
        }
        Charge more = charge;
        List<Limit> limits = charge.rule().limits();
        for (int i = 0; i < limits.size(); i++) {
            long own = charge.permits(i);
            if (own > 0) {
                long most = Math.max(charge.atOnce(limits.get(i)), own);
                more = more.costing(limits.get(i).name(), most - own < ahead ? most : own + ahead);
            }
        }
        return more;
    }

    /** Whether the queue of a charge has room for another request. */
    boolean hasRoom(Charge charge) {
        return !closed && !queues.isFull(charge);
    }

    /** Tries heads, and those behind them, until none can be served. A loop: many may be served at once. */
    private void serve(Collection<Waiter> heads) {
        Deque<Waiter> left = new ArrayDeque<>(heads);
        for (Waiter head = left.poll(); head != null; head = left.poll()) {
            left.addAll(tryNow(head));
        }
    }

    /** Returns those that are to be tried next. */
    private List<Waiter> tryNow(Waiter head) {
        if (!begins(head)) {
            return List.of();
        }
        if (!head.isPresent()) {
            return leave(head);
        }
        CompletableFuture<Decision> decision = Calls.decide(storage, head.chargesAtOnce());
        List<Waiter> next = new ArrayList<>(1);
        boolean now = decision.isDone();
        then(head, decision, (made, failure) -> {
            List<Waiter> heads = tried(head, made, failure);
            if (now) {
                next.addAll(heads);
            } else {
                serve(heads);
            }
        });
        return next;
    }

    private boolean begins(Waiter head) {
        lock.lock();
        try {
            if (head.done || !queues.isHead(head)) {
                return false;
            }
            if (head.trying) {
                head.again = true;
                return false;
            }
            head.trying = true;
            head.again = false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private List<Waiter> tried(Waiter head, @Nullable Decision decision, @Nullable Throwable failure) {
        long now = clock.epochNanos();
        lock.lock();
        try {
            head.trying = false;
            if (!head.done && decision != null && !decision.permitted() && !head.isHopeless(decision, now)) {
                head.last = decision;
                return goOn(head, decision, now);
            }
        } finally {
            lock.unlock();
        }
        return end(head, decision, failure);
    }

    /** With the lock held. */
    private List<Waiter> goOn(Waiter head, Decision rejected, long now) {
        if (!queues.isHead(head)) {
            setTimer(head, head.deadline);
            return List.of();
        }
        if (head.again && !isUnsteady(rejected)) {
            return List.of(head);
        }
        setTimer(head, Math.min(head.deadline, now + pauseNanos(head, rejected)));
        return List.of();
    }

    /** Each attempt gives back what one of several places has granted, which looks like a reason for the next. */
    private static boolean isUnsteady(@Nullable Decision rejected) {
        return rejected != null && rejected.isApart();
    }

    private long pauseNanos(Waiter head, Decision rejected) {
        long retry = Waiter.longestWait(rejected);
        boolean polled = polling || rejected.sharesState() || isUnsteady(rejected);
        if (!head.mayBeFreed()) {
            return retry;
        }
        boolean byTime = rejected.retryAfter().isPresent();
        long poll = polled ? Math.max(queues.count(), POLLED_OFTEN) * (POLL_NANOS / POLLED_OFTEN) : Long.MAX_VALUE / 2;
        return byTime ? Math.min(retry, poll) : poll;
    }

    /** With the lock held. */
    private void setTimer(Waiter waiter, long due) {
        waiter.cancelTimer.run();
        waiter.due = due;
        waiter.cancelTimer = timer.after(Math.max(due - clock.epochNanos(), 0), () -> ring(waiter));
    }

    private void then(
            Waiter waiter,
            CompletableFuture<Decision> answer,
            BiConsumer<@Nullable Decision, @Nullable Throwable> action) {
        Calls.then(answer, action, failure -> fail(waiter, failure));
    }

    private void fail(Waiter waiter, Throwable failure) {
        serve(end(waiter, null, failure));
    }

    /** Called by the timer. */
    void ring(Waiter waiter) {
        Calls.guard(() -> tend(waiter), failure -> fail(waiter, failure));
    }

    /** May be early where the clock is not that of the system. */
    private void tend(Waiter waiter) {
        long now = clock.epochNanos();
        boolean tries = false;
        boolean leaves = false;
        lock.lock();
        try {
            if (waiter.done) {
                return;
            }
            if (now < waiter.due) {
                setTimer(waiter, waiter.due);
            } else {
                tries = queues.isHead(waiter);
                leaves = !tries && now >= waiter.deadline;
            }
        } finally {
            lock.unlock();
        }
        serve(tries ? List.of(waiter) : leaves ? leave(waiter) : List.of());
    }

    /** Rejects a request, unless its outcome is certain. */
    void giveUp(Waiter waiter) {
        serve(leave(waiter));
    }

    private List<Waiter> leave(Waiter waiter) {
        return end(waiter, null, null);
    }

    /**
     * Ends the wait of a request, unless that was done: with a decision, a failure or, without either, a rejection.
     * Returns those that are heads since.
     */
    private List<Waiter> end(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        boolean ends;
        List<Waiter> heads = List.of();
        lock.lock();
        try {
            ends = !waiter.done;
            if (ends) {
                waiter.done = true;
                waiter.cancelTimer.run();
                heads = queues.remove(waiter);
            }
        } finally {
            lock.unlock();
        }
        if (!ends) {
            Calls.giveBack(decision);
        } else if (failure != null) {
            waiter.fail(failure);
        } else {
            waiter.finish(decision == null ? waiter.rejection() : decision);
        }
        return heads;
    }

    @Override
    public void released(String rule, String key) {
        QueueKey queue = new QueueKey(rule, key);
        if (!queues.isBusy(queue)) {
            return;
        }
        Waiter first;
        lock.lock();
        try {
            first = queues.first(queue);
            first = first == null || isUnsteady(first.last) ? null : first;
        } finally {
            lock.unlock();
        }
        serve(first == null ? List.of() : List.of(first));
    }

    @Override
    public void unreported() {
        polling = true;
    }

    /** Rejects all; from now on no request waits. */
    void close() {
        List<Waiter> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(queues.waiters());
        } finally {
            lock.unlock();
        }
        // the last ones first: none of them becomes a head, and tries
        Collections.reverse(all);
        all.forEach(this::leave);
    }

    void open() {
        closed = false;
    }
}
