package dev.limiter;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Has the storage decide on requests that come, and on those that wait. Thread-safe.
 *
 * <p>One lock guards the queues of all keys; nothing waits with it held, and waiters are woken without it. A release
 * does not wait for it, since a thread that has the lock of other queues may release permits: the thread that has the
 * lock {@linkplain #serveReleased serves} what was released meanwhile.
 */
abstract class Admission implements ReleaseListener {

    static final Runnable NOTHING = () -> {};

    final RateLimiterStorage storage;
    final TimeSource clock;
    final WaitTimer timer;
    final ReentrantLock lock;
    final ReservationQueues turns;
    final ReleaseQueues releases = new ReleaseQueues();
    volatile boolean closed;

    /** Waiters to wake when the lock is released. */
    private final Deque<Waiter> toWake = new ArrayDeque<>();

    Admission(RateLimiterStorage storage, WaitTimer timer, ReentrantLock lock) {
        this.storage = storage;
        this.clock = storage.clock();
        this.timer = timer;
        this.lock = lock;
        this.turns = new ReservationQueues(timer, clock, this::turnsHaveCome);
    }

    /** The permission to go on at once, without any cost of waiting; null if it is not as simple as that. */
    abstract @Nullable Decision passBy(Rule rule, String key, long permits);

    /** The answer, if it is known at once; null if the waiter is told later. */
    abstract @Nullable Decision enter(Waiter waiter);

    /**
     * Has the charges decided that a waiter {@linkplain Waiter#comesForHeld comes} for now. With the lock held; returns
     * what is left to do without it.
     */
    abstract Runnable decideHeld(Waiter waiter);

    /** Takes out a waiter without answer, refused. With the lock held; returns what is left to do without it. */
    abstract Runnable giveUp(Waiter waiter);

    /** Whether there are releases that were not looked at. */
    abstract boolean hasReleased();

    /** Looks at all releases. With the lock held. */
    abstract void admitReleased();

    /** Releases the lock, wakes waiters for which something has changed, and serves what was released meanwhile. */
    final void unlock() {
        unlockAndWake();
        serveReleased();
    }

    private void unlockAndWake() {
        List<Waiter> woken = List.of();
        if (lock.getHoldCount() == 1 && !toWake.isEmpty()) {
            woken = List.copyOf(toWake);
            toWake.clear();
        }
        lock.unlock();
        woken.forEach(Waiter::wake);
    }

    /** Looks at releases, unless a thread has the lock: that does so as soon as it has released the lock. */
    final void serveReleased() {
        while (hasReleased() && !lock.isHeldByCurrentThread() && lock.tryLock()) {
            try {
                admitReleased();
            } finally {
                unlockAndWake();
            }
        }
    }

    /** Wakes a waiter as soon as the lock is released. */
    final void wake(Waiter waiter) {
        toWake.add(waiter);
    }

    final void answer(Waiter waiter, Decision decision) {
        waiter.answer(decision);
        wake(waiter);
    }

    final void refuse(Waiter waiter) {
        waiter.refuse();
        wake(waiter);
    }

    /** Whether no further waiter may join the queues for turns of these charges. */
    final boolean isFull(Waiter waiter) {
        return waiter.charges.stream().anyMatch(turns::isFull);
    }

    /** Whether a decision is for a turn, and no further waiter may have one. */
    final boolean isTooMany(Waiter waiter, Decision decision) {
        return decision.delayNanos() > 0 && (closed || isFull(waiter));
    }

    /** Whether a further waiter may join the queues of a charge. */
    final boolean mayWait(Charge charge) {
        lock.lock();
        try {
            return !closed && !turns.isFull(charge) && !releases.isFull(charge);
        } finally {
            unlock();
        }
    }

    /** When there is something to do for a waiter, as of now: earlier than it expects if its turn moved up. */
    final long due(Waiter waiter) {
        lock.lock();
        try {
            Decision decision = waiter.decision();
            return decision == null ? waiter.due() : turns.turn(waiter, decision);
        } finally {
            unlock();
        }
    }

    /** Does what there is to do for a waiter when its time has come; else nothing. */
    final void tend(Waiter waiter) {
        if (!isDue(waiter)) {
            return;
        }
        if (waiter.decision() != null && !waiter.isPresent()) {
            leave(waiter);
            return;
        }
        Runnable rest = NOTHING;
        lock.lock();
        try {
            // may have got a turn in the meantime, that is still to come
            Decision decision = waiter.decision();
            if (!waiter.isDone() && clock.epochNanos() >= due(waiter)) {
                rest = decision == null ? giveUp(waiter) : go(waiter, decision);
            }
        } finally {
            unlock();
        }
        rest.run();
    }

    private Runnable go(Waiter waiter, Decision decision) {
        turns.remove(waiter);
        if (waiter.comesForHeld(clock.epochNanos())) {
            return decideHeld(waiter);
        }
        answer(waiter, decision);
        return NOTHING;
    }

    /** Whether there is something to do; if a turn has moved up, its waiter learns when. */
    private boolean isDue(Waiter waiter) {
        long now = clock.epochNanos();
        if (waiter.isDone() || now >= waiter.due()) {
            return !waiter.isDone();
        }
        lock.lock();
        try {
            long due = waiter.isDone() ? Long.MAX_VALUE : due(waiter);
            if (now < due && due < waiter.due()) {
                waiter.due(due);
                wake(waiter);
            }
            return now >= due;
        } finally {
            unlock();
        }
    }

    /** Called by a timer when turns have come that moved up. */
    private void turnsHaveCome(TurnQueue queue) {
        List<Waiter> come;
        lock.lock();
        try {
            come = turns.come(queue);
        } finally {
            unlock();
        }
        come.forEach(this::tend);
    }

    /** Gives up, unless the waiter already has an answer. */
    final void leave(Waiter waiter) {
        Runnable rest = NOTHING;
        lock.lock();
        try {
            if (!waiter.isDone()) {
                rest = giveUp(waiter);
            }
        } finally {
            unlock();
        }
        rest.run();
    }

    /** Refuses all waiters; from now on no request waits. */
    final void close() {
        List<Waiter> all = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            all.addAll(releases.waiters());
            all.addAll(turns.waiters());
        } finally {
            unlock();
        }
        // the last ones first: most algorithms can return those whole
        Collections.reverse(all);
        all.forEach(this::leave);
    }

    /**
     * The charge that may wait for a release, if releases of charges that would wait are all that the refused request
     * needs: of the first of them. A request in line that
     * is decided apart, and so given no turn, keeps its place also while it can have all the rest in time.
     */
    final ReleaseQueues.@Nullable AwaitedRelease awaitedRelease(Decision refused, Waiter waiter) {
        ReleaseQueues.AwaitedRelease inLine = refused.isApart() ? waiter.awaited() : null;
        for (Decision part : refused.parts()) {
            long patience = inLine == null ? 0 : waiter.left(part.rule(), clock.epochNanos());
            for (int i = 0; i < part.rule().limits().size(); i++) {
                long wait = part.waitNanos(i);
                if (wait > patience && wait != Decision.UNKNOWN) {
                    return null;
                }
            }
        }
        ReleaseQueues.AwaitedRelease first = null;
        for (Decision part : refused.parts()) {
            if (isUntilRelease(part)) {
                ReleaseQueues.AwaitedRelease awaited = refusedCharge(part, waiter.charges);
                if (awaited == null) {
                    return null;
                }
                first = first == null ? awaited : first;
            }
        }
        return first == null ? inLine : first;
    }

    /** The part that is refused until something is released; null if there is none. */
    static @Nullable Decision needsRelease(Decision refused) {
        for (Decision part : refused.parts()) {
            if (isUntilRelease(part)) {
                return part;
            }
        }
        return null;
    }

    private static boolean isUntilRelease(Decision part) {
        return !part.permitted() && part.waitNanos(part.deciding()) == Decision.UNKNOWN;
    }

    /** The charge that was refused, with the key under which it is counted, if it would wait. */
    private static ReleaseQueues.@Nullable AwaitedRelease refusedCharge(Decision refused, List<Charge> charges) {
        List<Charge> sameRule = charges.stream()
                .filter(charge -> charge.rule().name().equals(refused.rule().name()))
                .toList();
        // keys that share a state because there is no room are counted under another key
        return sameRule.stream()
                .filter(charge -> charge.key().equals(refused.key()))
                .findFirst()
                .or(() -> sameRule.stream().findFirst())
                .filter(charge -> !charge.maxWait().isZero())
                .map(charge -> new ReleaseQueues.AwaitedRelease(charge, WaitKey.of(refused)))
                .orElse(null);
    }
}
