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
 * A request that may wait, and its future. Fields that are not final are guarded by the lock of the room; {@link
 * #finish} and {@link #fail} are called without it, once, by the thread that has set {@link #done}.
 */
final class Waiter {

    /** One for each rule and key. */
    final List<Charge> charges;

    /**
     * The queues in which it stands: of its charges that wait and that no turn can be reserved for. Empty if it waits for
     * reserved turns, or not at all.
     */
    final Set<QueueKey> queues = new LinkedHashSet<>();

    /** Whether no charge leaves a share of its limit to others: such requests queue ahead of those that do. */
    final boolean prior;

    /** When it is rejected if it still stands in a queue: after the shortest of the times that its charges would wait. */
    final long deadline;

    final ReturningFuture<Decision> future = new ReturningFuture<>(Decision::giveBack);

    private final BooleanSupplier present;
    private final Executor completing;
    private final WaitNotifier notifier = new WaitNotifier();

    /** The thread that brings this request, while it does: it needs no executor to complete the future. */
    private volatile @Nullable Thread entering = Thread.currentThread();

    /** Whether its outcome is certain; it then stands in no queue. */
    boolean done;

    /** Whether the storage is deciding on it as the head of its queues. */
    boolean trying;

    /** Whether permits became free in the meantime. */
    boolean again;

    /** The last answer of the storage that granted nothing; null if there is none. */
    @Nullable
    Decision last;

    /** The decision that reserves a turn; null if there is none. */
    @Nullable
    Decision reservation;

    /** When its timer has something to do. */
    long due;

    Runnable cancelTimer = () -> {};

    /**
     * @param charges {@linkplain PermitArithmetic#merged merged}
     * @param present whether the caller still wants an answer
     * @param completing completes the future, and so runs what depends on it
     */
    Waiter(List<Charge> charges, long now, BooleanSupplier present, Executor completing) {
        this.charges = charges;
        this.present = present;
        this.completing = completing;
        List<Charge> waiting = charges.stream().filter(Waiter::waits).toList();
        this.prior = waiting.stream().allMatch(charge -> charge.reserve() == 0);
        this.deadline = now
                + waiting.stream()
                        .mapToLong(charge -> nanos(charge.maxWait()))
                        .min()
                        .orElse(0);
        waiting.stream().filter(Waiter::queues).map(QueueKey::of).forEach(queues::add);
        if (queues.isEmpty()
                && charges.stream().anyMatch(charge -> takes(charge, Limit.Concurrency.class::isInstance))) {
            // or it would hold a permit of a concurrency limit while it waits for a turn
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

    /** The charges of a request that does not wait. */
    List<Charge> chargesAtOnce() {
        List<Charge> atOnce = new ArrayList<>(charges.size());
        for (Charge charge : charges) {
            atOnce.add(charge.maxWait(Duration.ZERO));
        }
        return atOnce;
    }

    /** Whether a rejection cannot turn into a permission in time. */
    boolean isHopeless(Decision rejected, long now) {
        return now >= deadline
                || IntStream.range(0, charges.size()).anyMatch(i -> isHopeless(charges.get(i), part(rejected, i), now));
    }

    /** The decision on the charge at that position; on all of them where a storage does not tell them apart. */
    Decision part(Decision decision, int charge) {
        List<Decision> parts = decision.parts();
        return parts.size() == charges.size() ? parts.get(charge) : decision;
    }

    private boolean isHopeless(Charge charge, Decision part, long now) {
        return !part.permitted()
                && (!waits(charge) || part.never() || !charge.refundable() && longestWait(part) > deadline - now);
    }

    /** Nanoseconds until time alone ends the rejection; 0 if it does not. */
    static long longestWait(Decision rejected) {
        long longest = 0;
        for (LimitStatus status : rejected.limits()) {
            longest =
                    Math.max(longest, status.retryAfter().map(Duration::toNanos).orElse(0L));
        }
        return longest;
    }

    /** Whether others may free what a rejected attempt lacked: by a release, or by a refund. */
    boolean mayBeFreed(Decision rejected) {
        return charges.stream().anyMatch(Charge::refundable)
                || rejected.limits().stream()
                        .anyMatch(status ->
                                !status.permitted() && status.retryAfter().isEmpty());
    }

    /** A request counts as gone when its presence check fails: it would hold up those behind it otherwise. */
    boolean isPresent() {
        try {
            return present.getAsBoolean();
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    /** The rejection of a request that leaves its queues. */
    Decision rejection() {
        Decision rejected = last;
        return rejected != null && !rejected.permitted()
                ? rejected
                : rejection(rejected, i -> waits(charges.get(i)) ? CompiledLimit.UNKNOWN : 0);
    }

    /** The rejection of a request that leaves before its reserved turn: by the rules whose turns are still to come. */
    Decision rejection(Decision reservation, long now) {
        long last = AbstractDecision.of(reservation).turnNanos();
        return rejection(reservation, i -> {
            long turn = AbstractDecision.of(part(reservation, i)).turnNanos();
            return Math.max(Math.max(turn, now) - now, turn == last ? 1 : 0);
        });
    }

    /** {@code waits}: nanoseconds by the position of the charge; 0 where its rule does not make the request wait. */
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

    /** Reports the end to listeners where the caller has completed the future. */
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
