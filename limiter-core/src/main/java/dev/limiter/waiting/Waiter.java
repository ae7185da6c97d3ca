package dev.limiter.waiting;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.WaitListener;
import dev.limiter.spi.AbstractDecision;
import dev.limiter.spi.CompiledLimit;
import dev.limiter.spi.FixedDecision;
import dev.limiter.spi.PermitArithmetic;
import dev.limiter.spi.ReturningFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.IntToLongFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A request that may wait, and its future. Fields that are not final are guarded by the lock of {@link WaitingRoom}.
 * The thread that sets {@link #done} calls {@link #finish} or {@link #fail} once, without the lock.
 */
final class Waiter {

    /** One per rule and key. */
    final List<Charge> charges;

    /**
     * The queues that the request joins: those of charges that wait and have no turns. Empty if it waits for turns
     * only, or not at all.
     */
    final Set<QueueKey> queues = new LinkedHashSet<>();

    /** Whether no charge reserves permits for others: such requests queue ahead of those that do. */
    final boolean hasPriority;

    /** When a queued request is rejected: after the shortest maximum wait of its charges. */
    final long deadline;

    final ReturningFuture<Decision> future = new ReturningFuture<>(Decision::giveBack);

    private final BooleanSupplier present;
    private final Executor completing;
    private final WaitNotifier notifier = new WaitNotifier();

    /** The thread that submits this request, while it does. Completing the future in it needs no executor. */
    private volatile @Nullable Thread entering = Thread.currentThread();

    /** Whether the outcome is final; the request is then in no queue. */
    boolean done;

    /** Whether the storage is deciding on this request as the head of its queues. */
    boolean trying;

    /** Requests that assumed that this one gets its permits, because the storage was deciding on it. */
    final Set<Waiter> behindAttempt = new LinkedHashSet<>();

    /** Whether permits became free in the meantime. */
    boolean again;

    /** The last decision of the storage that granted nothing, or null. */
    @Nullable
    Decision last;

    /** The decision that reserves a turn, or null. */
    @Nullable
    Decision reservation;

    /** When the timer has to act. */
    long due;

    Runnable cancelTimer = () -> {};

    /**
     * Creates a request.
     *
     * @param charges {@linkplain PermitArithmetic#merged merged}
     * @param present returns whether the caller still needs the result
     * @param completing completes the future, and runs its continuations
     */
    Waiter(List<Charge> charges, long now, BooleanSupplier present, Executor completing) {
        this.charges = charges;
        this.present = present;
        this.completing = completing;
        List<Charge> waiting = charges.stream().filter(Waiter::waits).toList();
        this.hasPriority = waiting.stream().allMatch(charge -> charge.reserve() == 0);
        this.deadline = now
                + waiting.stream()
                        .mapToLong(charge -> nanos(charge.maxWait()))
                        .min()
                        .orElse(0);
        waiting.stream().filter(Waiter::queues).map(QueueKey::of).forEach(queues::add);
        if (queues.isEmpty()
                && charges.stream().anyMatch(charge -> takes(charge, Limit.Concurrency.class::isInstance))) {
            // otherwise it would hold a concurrency permit while it waits for a turn
            waiting.stream().map(QueueKey::of).forEach(queues::add);
        }
    }

    private static long nanos(Duration maxWait) {
        return (maxWait.compareTo(Limit.MAX_WINDOW) > 0 ? Limit.MAX_WINDOW : maxWait).toNanos();
    }

    static boolean waits(Charge charge) {
        return charge.permits() > 0 && !charge.maxWait().isZero();
    }

    static boolean queues(Charge charge) {
        return charge.refundable() || takes(charge, limit -> !isReservable(limit));
    }

    private static boolean takes(Charge charge, Predicate<Limit> such) {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size()).anyMatch(i -> charge.permits(i) > 0 && such.test(limits.get(i)));
    }

    private static boolean isReservable(Limit limit) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW -> true;
            case SLIDING_WINDOW_COUNTER, SLIDING_WINDOW_LOG, CONCURRENCY -> false;
        };
    }

    /** Returns the charges without a maximum wait. */
    List<Charge> chargesAtOnce() {
        List<Charge> atOnce = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            atOnce.add(charge.maxWait(Duration.ZERO));
        }
        return atOnce;
    }

    /** Returns whether a rejected request cannot be permitted in time. */
    boolean isHopeless(Decision rejected, long now) {
        return now >= deadline
                || IntStream.range(0, charges.size()).anyMatch(i -> isHopeless(charges.get(i), part(rejected, i), now));
    }

    /** Returns the decision on one charge, or the whole decision if the storage does not distinguish charges. */
    Decision part(Decision decision, int charge) {
        List<Decision> parts = decision.parts();
        return parts.size() == charges.size() ? parts.get(charge) : decision;
    }

    private boolean isHopeless(Charge charge, Decision part, long now) {
        return !part.permitted()
                && (!waits(charge) || part.never() || !charge.refundable() && longestWait(part) > deadline - now);
    }

    /** Returns nanoseconds until the rejection ends by time alone; 0 if it does not. */
    static long longestWait(Decision rejected) {
        long longest = 0;
        for (LimitStatus status : rejected.limits()) {
            longest =
                    Math.max(longest, status.retryAfter().map(Duration::toNanos).orElse(0L));
        }
        return longest;
    }

    /** Returns whether a release or refund by others could have permitted a rejected attempt. */
    boolean mayBeFreed(Decision rejected) {
        return charges.stream().anyMatch(Charge::refundable)
                || rejected.limits().stream()
                        .anyMatch(status ->
                                !status.permitted() && status.retryAfter().isEmpty());
    }

    /**
     * Returns whether the client is still there. False if the check fails, so as not to block requests behind this one.
     */
    boolean isPresent() {
        try {
            return present.getAsBoolean();
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    /** Returns the rejection of a request that leaves its queues. */
    Decision rejection() {
        Decision rejected = last;
        return rejected != null && !rejected.permitted()
                ? rejected
                : rejection(rejected, i -> waits(charges.get(i)) ? CompiledLimit.UNKNOWN : 0);
    }

    /** Returns the rejection of a request that leaves before its turn, with the rules of the turns still to come. */
    Decision rejection(Decision reservation, long now) {
        long last = AbstractDecision.of(reservation).turnNanos();
        return rejection(reservation, i -> {
            long turn = AbstractDecision.of(part(reservation, i)).turnNanos();
            return Math.max(Math.max(turn, now) - now, turn == last ? 1 : 0);
        });
    }

    /**
     * Creates a rejection; {@code waits} returns nanoseconds per charge, 0 if its rule does not make the request wait.
     */
    Decision rejection(@Nullable Decision permitted, IntToLongFunction waits) {
        List<Decision> parts = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            long wait = waits.applyAsLong(i);
            parts.add(
                    permitted != null && wait == 0
                            ? part(permitted, i)
                            : new FixedDecision(charge.rule(), wait, FixedDecision.Reason.QUEUED));
        }
        return AbstractDecision.allOf(parts);
    }

    void entered(List<WaitListener> listeners) {
        entering = null;
        if (!future.isDone()) {
            notifier.listen(listeners, charges);
        }
    }

    void begin() {
        notifier.begin();
    }

    void finish(Decision decision) {
        complete(() -> {
            notifier.end(decision);
            future.hand(decision);
        });
    }

    void fail(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        complete(() -> {
            notifier.end(null);
            future.completeExceptionally(cause);
        });
    }

    /** Reports the end to listeners if the caller has completed the future. */
    void endWithoutAnswer() {
        notifier.end(null);
    }

    private void complete(Runnable completion) {
        if (Thread.currentThread() == entering) {
            completion.run();
        } else {
            completing.execute(completion);
        }
    }
}
