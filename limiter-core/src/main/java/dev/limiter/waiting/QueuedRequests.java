package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiterStorage;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.ReleaseListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait in queues. The head of a queue retries like a request that does not wait: after a release or
 * refund, when the retry time is over, and every 25 ms if the storage does not report all releases. No lock is held
 * during calls, because a thread that releases permits may hold locks of its own.
 */
final class QueuedRequests extends WaitingStrategy implements ReleaseListener {

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** Up to this many queues are polled every 25 ms; with more queues, each is polled less often. */
    private static final int POLLED_OFTEN = 100;

    /** Longer than any request waits. */
    private static final long NOT_BY_TIME = Long.MAX_VALUE / 2;

    final WaitingQueues queues = new WaitingQueues();

    private volatile boolean polling;

    QueuedRequests(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        super(storage, timer, lock);
        this.polling = storage.isRemote();
    }

    /** Decides at once if no other request waits for the same permits. Otherwise, or if rejected, the request waits. */
    @Override
    void enter(Waiter waiter) {
        if (!closed && queues.isBehindOthers(waiter)) {
            join(waiter, null);
            return;
        }
        long began = clock.epochNanos();
        callStorage(waiter, storage::decideAsync, waiter.chargesAtOnce(), (decision, failure) -> {
            if (decision == null || decision.permitted() || waiter.isHopeless(decision, began)) {
                finish(waiter, decision, failure);
            } else {
                join(waiter, decision);
            }
        });
    }

    /** Adds the request to its queues; {@code rejected} is null if others were there first. */
    private void join(Waiter waiter, @Nullable Decision rejected) {
        boolean joins;
        boolean first = false;
        lock.lock();
        try {
            waiter.last = rejected;
            joins = !waiter.done && !closed && !queues.isFull(waiter);
            if (joins) {
                queues.add(waiter);
                first = queues.isHead(waiter);
                setTimer(waiter, waiter.deadline);
            }
        } finally {
            lock.unlock();
        }
        if (first) {
            waiter.begin();
            // permits may have become free since the rejection
            serve(List.of(waiter));
        } else if (joins) {
            checkWait(waiter, permitsAhead(waiter), true);
        } else if (rejected == null) {
            checkWait(waiter, new long[waiter.charges.size()], false);
        } else {
            finish(waiter, rejected, null);
        }
    }

    private long[] permitsAhead(Waiter waiter) {
        lock.lock();
        try {
            return queues.permitsAhead(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Rejects a request that is not in a queue, or that cannot be served in time behind the others. */
    private void checkWait(Waiter waiter, long[] ahead, boolean joined) {
        long began = clock.epochNanos();
        BehindOthers behind = new BehindOthers(waiter, ahead);
        callStorage(waiter, storage::peekAsync, behind.charges(), (decision, failure) -> {
            Decision rejection = decision == null ? null : behind.rejection(decision, began);
            if (rejection != null && joined) {
                long[] aheadNow = permitsAhead(waiter);
                if (behind.isOutdated(aheadNow)) {
                    checkWait(waiter, aheadNow, true);
                    return;
                }
            }
            if (decision == null || rejection != null) {
                finish(waiter, rejection, failure);
                return;
            }
            lock.lock();
            try {
                waiter.last = waiter.last == null ? decision : waiter.last;
            } finally {
                lock.unlock();
            }
            if (joined) {
                waiter.begin();
            } else {
                giveUp(waiter);
            }
        });
    }

    /** Returns whether another request may join the queue of a charge. */
    boolean hasRoom(Charge charge) {
        return !closed && !queues.isFull(charge);
    }

    /** Retries heads, and those behind them, until none can be served. A loop, because many may be served at once. */
    private void serve(Collection<Waiter> heads) {
        Deque<Waiter> left = new ArrayDeque<>(heads);
        for (Waiter head = left.poll(); head != null; head = left.poll()) {
            if (startAttempt(head)) {
                Waiter tried = head;
                guard(tried, () -> left.addAll(tryNow(tried)));
            }
        }
    }

    private boolean startAttempt(Waiter head) {
        lock.lock();
        try {
            boolean begins = !closed && !head.trying && queues.isHead(head);
            head.again = head.trying;
            head.trying |= begins;
            return begins;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the requests to try next, if the storage decides synchronously. */
    private List<Waiter> tryNow(Waiter head) {
        if (!head.isPresent()) {
            return leave(head, null, null);
        }
        List<Waiter> next = new ArrayList<>(1);
        Thread thread = Thread.currentThread();
        boolean[] returned = new boolean[1];
        long began = clock.epochNanos();
        callStorage(head, storage::decideAsync, head.chargesAtOnce(), (decision, failure) -> {
            List<Waiter> heads = tried(head, began, decision, failure);
            if (Thread.currentThread() == thread && !returned[0]) {
                next.addAll(heads);
            } else {
                serve(heads);
            }
        });
        returned[0] = true;
        return next;
    }

    /**
     * Handles a decision; {@code began} is when the storage was called, because the next attempt takes equally long.
     */
    private List<Waiter> tried(Waiter head, long began, @Nullable Decision decision, @Nullable Throwable failure) {
        List<Waiter> behind;
        @Nullable List<Waiter> heads;
        lock.lock();
        try {
            head.trying = false;
            behind = List.copyOf(head.behindAttempt);
            head.behindAttempt.clear();
            if (head.done || decision == null || decision.permitted() || head.isHopeless(decision, began)) {
                heads = null;
            } else {
                head.last = decision;
                heads = keepWaiting(head, decision, began);
            }
        } finally {
            lock.unlock();
        }
        if (heads == null) {
            return leave(head, decision, failure);
        }
        behind.forEach(waiter -> checkWait(waiter, permitsAhead(waiter), true));
        return heads;
    }

    /** Requires the lock. */
    private List<Waiter> keepWaiting(Waiter head, Decision rejected, long began) {
        boolean first = queues.isHead(head);
        if (first && head.again && !AbstractDecision.of(rejected).isApart()) {
            return List.of(head);
        }
        setTimer(head, first ? Math.min(head.deadline, began + pauseNanos(head, rejected)) : head.deadline);
        return List.of();
    }

    private long pauseNanos(Waiter head, Decision rejected) {
        long retry = rejected.retryAfter().isPresent() ? Waiter.longestWait(rejected) : NOT_BY_TIME;
        boolean polled = head.mayBeFreed(rejected)
                && (polling || AbstractDecision.of(rejected).sharesState());
        return polled ? Math.min(retry, Math.max(queues.count(), POLLED_OFTEN) * (POLL_NANOS / POLLED_OFTEN)) : retry;
    }

    @Override
    void onTimer(Waiter waiter) {
        boolean first;
        lock.lock();
        try {
            first = queues.isHead(waiter);
        } finally {
            lock.unlock();
        }
        if (first) {
            serve(List.of(waiter));
        } else if (clock.epochNanos() >= waiter.deadline) {
            giveUp(waiter);
        }
    }

    @Override
    void giveUp(Waiter waiter) {
        finish(waiter, null, null);
    }

    @Override
    void fail(Waiter waiter, Throwable failure) {
        finish(waiter, null, failure);
    }

    private void finish(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        serve(leave(waiter, decision, failure));
    }

    /**
     * Ends the wait of a request, unless it has ended: with a decision, a failure or, without either, a rejection.
     * Returns the new heads.
     */
    private List<Waiter> leave(Waiter waiter, @Nullable Decision decision, @Nullable Throwable failure) {
        List<Waiter> heads = end(waiter);
        if (heads == null) {
            giveBack(decision);
            return List.of();
        }
        if (failure != null) {
            waiter.fail(failure);
        } else {
            waiter.finish(decision == null ? waiter.rejection() : decision);
        }
        return heads;
    }

    @Override
    public void released(String rule, String key) {
        if (!queues.isBusy(rule, key)) {
            return;
        }
        Waiter first;
        lock.lock();
        try {
            first = queues.first(new QueueKey(rule, key));
            if (first == null
                    || first.last != null && AbstractDecision.of(first.last).isApart()) {
                // a permit from one of several nodes is returned if another node rejects, which is no reason to retry
                return;
            }
        } finally {
            lock.unlock();
        }
        serve(List.of(first));
    }

    @Override
    public void unreported() {
        polling = true;
    }

    @Override
    List<Waiter> waiters() {
        return queues.waiters();
    }

    @Override
    List<Waiter> remove(Waiter waiter) {
        return queues.remove(waiter);
    }
}
