package dev.limiter;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks a storage elsewhere again on behalf of waiters for a release: for the first of each queue, one call at a time. A
 * poll follows every release on this instance, and comes every now and then, since releases elsewhere are not told.
 * Thread-safe.
 */
final class ReleasePolling {

    static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

    /** Between two calls for whichever queues, on average: with more than a hundred, each is polled less often. */
    private static final long APART_NANOS = EVERY_NANOS / 100;

    /** The poll of a queue that is not empty. */
    private static final class Poll {

        private boolean underWay;

        /** Whether something was released while the call was under way. */
        private boolean again;

        /** The waiter to ask for what can be had at once, since no more may wait for turns. */
        private @Nullable Waiter atOnce;

        private Runnable cancelNext = () -> {};
    }

    private record Call(WaitKey key, Poll poll, Waiter waiter, List<Charge> charges) {}

    private final RemoteAdmission admission;
    private final Map<WaitKey, Poll> polls = new HashMap<>();

    ReleasePolling(RemoteAdmission admission) {
        this.admission = admission;
    }

    /** A queue has a waiter from now on. With the lock held. */
    void start(WaitKey key) {
        if (!polls.containsKey(key)) {
            Poll poll = new Poll();
            polls.put(key, poll);
            pollLater(key, poll);
        }
    }

    private void pollLater(WaitKey key, Poll poll) {
        poll.cancelNext = admission.timer.after(pauseNanos(polls.size()), () -> poll(key));
    }

    /** Between two polls of a queue that is one of so many. */
    static long pauseNanos(int queues) {
        return Math.max(EVERY_NANOS, queues * APART_NANOS);
    }

    /** Releases are no reason to poll until then: each poll gives back what it was granted, and would cause the next. */
    private void pause(WaitKey key, Poll poll) {
        poll.underWay = true;
        admission.timer.after(pauseNanos(polls.size()), () -> {
            end(poll);
            poll(key);
        });
    }

    private void end(Poll poll) {
        admission.lock.lock();
        try {
            poll.underWay = false;
        } finally {
            admission.unlock();
        }
    }

    /** Lets in the waiters of a queue that the storage permits. Without the lock. */
    void poll(WaitKey key) {
        // a loop: many answers that are there at once must not pile up on the stack
        for (Call call = next(key); call != null; call = next(key)) {
            if (!call.waiter.isPresent()) {
                refuse(call);
                continue;
            }
            CompletableFuture<Decision> answer = admission.decide(call.charges).toCompletableFuture();
            boolean later = !answer.isDone();
            Call asked = call;
            CompletableFuture<Boolean> goesOn = answer.handle((decision, failure) -> {
                boolean next = answered(asked, decision, failure);
                if (later && next) {
                    poll(key);
                }
                return next;
            });
            if (later || !goesOn.join()) {
                return;
            }
        }
    }

    /** The next call for a queue; null if there is none now. */
    private @Nullable Call next(WaitKey key) {
        admission.lock.lock();
        try {
            Poll poll = polls.get(key);
            if (poll == null) {
                return null;
            }
            if (poll.underWay) {
                poll.again = true;
                return null;
            }
            poll.cancelNext.run();
            Waiter first = admission.closed ? null : admission.releases.first(key);
            if (first == null) {
                polls.remove(key);
                return null;
            }
            poll.underWay = true;
            poll.again = false;
            List<Charge> charges =
                    first == poll.atOnce ? first.chargesAtOnce() : first.chargesLeft(admission.clock.epochNanos());
            poll.atOnce = null;
            return new Call(key, poll, first, charges);
        } finally {
            admission.unlock();
        }
    }

    private void refuse(Call call) {
        admission.lock.lock();
        try {
            call.poll.underWay = false;
            if (!call.waiter.isDone()) {
                admission.releases.remove(call.waiter);
                admission.refuse(call.waiter);
            }
        } finally {
            admission.unlock();
        }
    }

    /** Whether to go on with the next waiter, or with the same once more, right away. */
    private boolean answered(Call call, @Nullable Decision decision, @Nullable Throwable failure) {
        boolean unwanted;
        boolean goesOn;
        admission.lock.lock();
        try {
            Poll poll = call.poll;
            poll.underWay = false;
            poll.atOnce = !call.waiter.isDone() && decision != null && admission.isTooMany(call.waiter, decision)
                    ? call.waiter
                    : null;
            unwanted = call.waiter.isDone() || poll.atOnce != null;
            // after a failure the next waiter is not in a hurry
            goesOn = unwanted || admission.settle(call.waiter, decision, failure) && failure == null;
            if (!goesOn && decision != null && Admission.needsRelease(decision) == null) {
                pause(call.key, poll);
                return false;
            }
            goesOn |= poll.again;
            if (!goesOn) {
                pollLater(call.key, poll);
            }
        } finally {
            admission.unlock();
        }
        if (unwanted && decision != null) {
            admission.giveBack(call.waiter, decision);
        }
        return goesOn;
    }
}
