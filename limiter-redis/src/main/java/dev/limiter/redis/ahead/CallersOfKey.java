package dev.limiter.redis.ahead;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.ReturningFuture;
import dev.limiter.redis.script.RemoteRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one key, and the permits taken ahead for them. A caller that finds a permit takes it without a lock;
 * if half of the permits are used by then, it starts a call for more and does not wait. Without a permit the caller
 * waits for the next call, which serves all waiting callers but those that have gone by then; permits of callers that
 * went later are given back in one call. Over when no caller waits and no permit is kept.
 * Thread-safe; never blocks.
 */
final class CallersOfKey {

    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(RemoteRule.PAUSE_MICROS);
    private static final LeasedPermits[] NONE = {};

    private final SharedCalls.Taker taker;
    private final Charge charge;
    private final boolean keeps;
    private final Consumer<CallersOfKey> whenOver;

    /** The oldest first. Written with the lock held, like all that follows; an array is never changed. */
    private volatile LeasedPermits[] blocks = NONE;

    /** How many calls are under way, and how many there may be before callers gather. */
    private volatile int underWay;

    private int atOnce = 1;

    /** Until when nothing is fetched ahead, because the last call took fewer permits than it wanted. */
    private volatile long pausedUntil = System.nanoTime();

    private List<ReturningFuture<Decision>> waiting = new ArrayList<>(4);
    private boolean over;

    /** {@code keeps}: whether it may keep permits for later callers. */
    CallersOfKey(SharedCalls.Taker taker, Charge charge, boolean keeps, Consumer<CallersOfKey> whenOver) {
        this.taker = taker;
        this.charge = charge;
        this.keeps = keeps;
        this.whenOver = whenOver;
    }

    /** One of the permits that were taken ahead; null if there is none. */
    @Nullable
    Decision take() {
        LeasedPermits[] all = blocks;
        Decision taken = oneOf(all);
        if (taken != null && all[all.length - 1].runsLow()) {
            fetchMore();
        }
        return taken;
    }

    private void fetchMore() {
        if (underWay > 0 || System.nanoTime() - pausedUntil < 0) {
            return;
        }
        synchronized (this) {
            if (underWay > 0 || over) {
                return;
            }
            underWay++;
        }
        call();
    }

    /** The answer, now or later; null if it is over. */
    @Nullable
    CompletableFuture<Decision> enter() {
        ReturningFuture<Decision> answer = new ReturningFuture<>(Decision::giveBack);
        synchronized (this) {
            if (over) {
                return null;
            }
            Decision kept = oneOf(blocks);
            if (kept != null) {
                return CompletableFuture.completedFuture(kept);
            }
            waiting.add(answer);
            if (underWay >= atOnce) {
                return answer;
            }
            underWay++;
        }
        call();
        return answer;
    }

    private static @Nullable Decision oneOf(LeasedPermits[] blocks) {
        for (LeasedPermits block : blocks) {
            Decision taken = block.take();
            if (taken != null) {
                return taken;
            }
        }
        return null;
    }

    private void call() {
        List<ReturningFuture<Decision>> callers;
        long more = keeps ? taker.ahead(charge) : 0;
        // with permits taken ahead, callers gather for one call at a time
        int most = more > 0 ? 1 : taker.callsAtOnce(charge);
        synchronized (this) {
            atOnce = most;
            waiting.removeIf(CompletableFuture::isDone);
            callers = waiting;
            waiting = new ArrayList<>(4);
            for (LeasedPermits block : blocks) {
                more -= block.isTooOld() ? 0 : block.kept();
            }
            if (callers.isEmpty() && more <= 0) {
                underWay--;
                endIfDone();
                return;
            }
        }
        long wanted = more;
        var unused = taker.take(charge, callers.size(), wanted).whenComplete((block, failure) -> {
            List<Runnable> handed = new ArrayList<>(callers.size());
            int gone = 0;
            for (ReturningFuture<Decision> caller : callers) {
                if (block == null) {
                    handed.add(() -> caller.completeExceptionally(failure));
                } else if (caller.isDone()) {
                    gone++;
                } else {
                    Decision decision = block.next();
                    handed.add(() -> caller.hand(decision));
                }
            }
            if (block != null) {
                block.giveBack(gone);
            }
            if (block == null || block.kept() < wanted) {
                pausedUntil = System.nanoTime() + PAUSE_NANOS;
            }
            boolean again = answered(block, handed);
            giveBack(LeasedPermits::isTooOld);
            // last: what a caller does next, such as giving back, is not overtaken by what follows here
            handed.forEach(Runnable::run);
            if (again) {
                call();
            }
        });
    }

    /** Keeps the permits taken ahead, and answers later callers as far as they last; whether callers are left. */
    private synchronized boolean answered(@Nullable LeasedPermits block, List<Runnable> handed) {
        if (block != null && block.kept() > 0) {
            LeasedPermits[] all = Arrays.copyOf(blocks, blocks.length + 1);
            all[blocks.length] = block;
            blocks = all;
        }
        waiting.removeIf(CompletableFuture::isDone);
        int answered = 0;
        for (ReturningFuture<Decision> caller : waiting) {
            Decision kept = oneOf(blocks);
            Decision decision = kept != null ? kept : taker.refusal(charge);
            if (decision == null) {
                break;
            }
            answered++;
            handed.add(() -> caller.hand(decision));
        }
        waiting.subList(0, answered).clear();
        boolean again = !waiting.isEmpty();
        underWay = again ? underWay : underWay - 1;
        endIfDone();
        return again;
    }

    private void endIfDone() {
        removeIf(block -> block.kept() == 0);
        if (underWay == 0 && !over && blocks.length == 0) {
            over = true;
            whenOver.accept(this);
        }
    }

    private List<LeasedPermits> removeIf(Predicate<LeasedPermits> which) {
        if (blocks.length == 0) {
            return List.of();
        }
        List<LeasedPermits> removed = new ArrayList<>(blocks.length);
        List<LeasedPermits> others = new ArrayList<>(blocks.length);
        for (LeasedPermits block : blocks) {
            (which.test(block) ? removed : others).add(block);
        }
        if (!removed.isEmpty()) {
            blocks = others.toArray(NONE);
        }
        return removed;
    }

    /** Gives back what is kept in some blocks. Returns in how many. */
    int giveBack(Predicate<LeasedPermits> which) {
        List<LeasedPermits> removed = takeOut(which);
        removed.forEach(LeasedPermits::giveBack);
        return removed.size();
    }

    /** Forgets all that is kept. */
    void forget() {
        takeOut(block -> true).forEach(LeasedPermits::forget);
    }

    private synchronized List<LeasedPermits> takeOut(Predicate<LeasedPermits> which) {
        List<LeasedPermits> removed = removeIf(which);
        endIfDone();
        return removed;
    }
}
