package dev.limiter;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits: for the turn of its reservation, for a release, or undecided for the answer of a storage
 * elsewhere. A waiter whose turn has come keeps that, and is a request for the charges that are held. Written with the
 * lock of the queues held, read without.
 */
final class Waiter {

    /** Instead of a time: an undecided waiter is woken. */
    static final long UNDECIDED = Long.MAX_VALUE;

    /**
     * The charges that are to be decided: all, or those that are held once its turn has come. Those of the first in line
     * have the limits that it goes by.
     */
    volatile List<Charge> charges;

    /** Since when it waits for what is left to be decided. */
    private long arrived;

    private final BooleanSupplier present;
    private final Runnable wake;
    private volatile long due = UNDECIDED;

    /** The place in the queue for a release, and its number among all waiters; zero if it never had one. */
    private ReleaseQueues.@Nullable AwaitedRelease awaited;

    private long number;
    private List<Reservation> reservations = List.of();
    private volatile @Nullable Decision decision;

    /** The decision whose turn has come, if there are charges that are still to be decided. */
    private @Nullable Decision turn;

    private volatile @Nullable Decision answer;
    private volatile @Nullable Throwable failure;

    /** The answer if nothing comes of the present wait: another one whenever it waits for something else; null at first. */
    private @Nullable Decision refusal;

    /**
     * @param present whether the caller still wants an answer
     * @param wake called when the waiter should look at {@link #due} and {@link #answer} again; does not block
     */
    Waiter(List<Charge> charges, long now, BooleanSupplier present, Runnable wake) {
        this.charges = charges;
        this.arrived = now;
        this.present = present;
        this.wake = wake;
    }

    /** Waits for a release from now on, for as long as that charge would; {@code next} is its number if it has none. */
    void waitForRelease(ReleaseQueues.AwaitedRelease awaited, long next) {
        this.awaited = awaited;
        this.due = arrived + nanos(awaited.charge().maxWait());
        this.number = number == 0 ? next : number;
    }

    private static long nanos(Duration maxWait) {
        return (maxWait.compareTo(Limit.MAX_WINDOW) > 0 ? Limit.MAX_WINDOW : maxWait).toNanos();
    }

    ReleaseQueues.@Nullable AwaitedRelease awaited() {
        return awaited;
    }

    /** The queue in which it waits for a release, or was the last time. */
    @Nullable
    WaitKey queue() {
        ReleaseQueues.AwaitedRelease known = awaited;
        return known == null ? null : known.queue();
    }

    /** Goes by the limits of a request behind it where they are raised; whether any are. */
    boolean raise(List<Charge> later) {
        List<Charge> raised = charges;
        for (Charge each : later) {
            raised = raised.stream().map(charge -> charge.raisedBy(each)).toList();
        }
        boolean any = !raised.equals(charges);
        charges = raised;
        return any;
    }

    /** First come, first served. */
    long number() {
        return number;
    }

    /** The charges of a request that does not wait. */
    List<Charge> chargesAtOnce() {
        return charges.stream().map(charge -> charge.within(Duration.ZERO)).toList();
    }

    boolean wouldWait() {
        return charges.stream().anyMatch(charge -> !charge.maxWait().isZero());
    }

    /** The charges, each with what is left of the time that it would wait. */
    List<Charge> chargesLeft(long now) {
        return charges.stream()
                .map(charge -> charge.within(Duration.ofNanos(Math.max(arrived + nanos(charge.maxWait()) - now, 0))))
                .toList();
    }

    /** The time for which it would still wait in line for permits of a rule, in nanoseconds. */
    long left(Rule rule, long now) {
        long longest = charges.stream()
                .filter(charge -> charge.rule().name().equals(rule.name()))
                .mapToLong(charge -> nanos(charge.maxWait()))
                .max()
                .orElse(0);
        return Math.max(Math.min(arrived + longest, due) - now, 0);
    }

    /** A waiter counts as gone when its presence check fails; otherwise it would hold up the waiters behind it. */
    boolean isPresent() {
        try {
            return present.getAsBoolean();
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    /** A refusal or a failure returns the turn that was kept until then. Called without the lock. */
    void wake() {
        Decision kept = turn;
        if (kept != null && isDone() && !isPermitted()) {
            giveBack(kept::giveBack);
        }
        wake.run();
    }

    /** Returns permits of it: what the storage throws is its failure, and not that of the thread that returns them. */
    void giveBack(Runnable permits) {
        try {
            permits.run();
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    private boolean isPermitted() {
        Decision known = answer;
        return known != null && known.permitted();
    }

    /**
     * When the waiter looks after itself, in epoch nanoseconds; or UNDECIDED. A turn that moved up comes before that,
     * and its queue looks after it.
     */
    long due() {
        return due;
    }

    void due(long nanos) {
        due = nanos;
    }

    /** The permitted decision whose turn is awaited; null if there is none. */
    @Nullable
    Decision decision() {
        return decision;
    }

    List<Reservation> reservations() {
        return reservations;
    }

    /** Where its turns may move up. */
    List<TurnQueue.Place> places() {
        return reservations.stream()
                .map(Reservation::place)
                .filter(Objects::nonNull)
                .toList();
    }

    void reserve(Decision decision, List<Reservation> reservations) {
        this.reservations = reservations;
        this.due = decision.turn();
        this.decision = decision;
    }

    /**
     * The waiter whose turn has come keeps that, and comes anew for the charges that are held, with the time that is
     * left. False if there are none.
     */
    boolean comesForHeld(long now) {
        List<Charge> left = HeldCharges.of(chargesLeft(now));
        if (left.isEmpty()) {
            return false;
        }
        charges = left;
        arrived = now;
        due = UNDECIDED;
        awaited = null;
        turn = decision;
        decision = null;
        reservations = List.of();
        refusal = null;
        return true;
    }

    /** Null if there is none yet, or there was a failure. */
    @Nullable
    Decision answer() {
        return answer;
    }

    /** Whether there is an answer or a failure; then there will be no other. */
    boolean isDone() {
        return answer != null || failure != null;
    }

    /** The answer of a waiter that is done, or the exception that the storage failed with. */
    Decision outcome() {
        Throwable thrown = failure;
        Decision known = answer;
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (known == null) {
            throw thrown == null ? new IllegalStateException("Undecided") : new CompletionException(thrown);
        }
        return known;
    }

    /** The failure of the storage; null if there was none. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The answer to {@link #charges}. */
    void answer(Decision decision) {
        answer = turn == null ? decision : HeldCharges.answer(turn, decision);
    }

    void fail(@Nullable Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        failure = cause != null ? cause : new IllegalStateException("The storage answered nothing", thrown);
    }

    void refuse() {
        Decision known = refusal;
        answer(
                known != null
                        ? known
                        : Decision.allOf(charges.stream().map(TurnedAway::from).toList()));
    }

    /** Null before anything was refused. */
    @Nullable
    Decision refusal() {
        return refusal;
    }

    void refusal(Decision decision) {
        refusal = decision;
    }
}
