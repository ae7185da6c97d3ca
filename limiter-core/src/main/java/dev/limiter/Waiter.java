package dev.limiter;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Somebody in the waiting room: has a reservation and waits for its turn, or has none and waits for somebody else to
 * release what is held, or is undecided while a storage elsewhere is asked. Written with the room's lock held, read
 * without.
 */
final class Waiter {

    /** Instead of when there is something to do: who is undecided is woken. */
    static final long UNDECIDED = Long.MAX_VALUE;

    final List<Charge> charges;

    private final long arrived;
    private final BooleanSupplier present;
    private final Runnable wake;

    /** When one who waits for a release gives up. */
    private volatile long deadline = UNDECIDED;

    /** Where it waits for a release, and as which one of all; zero if it never did. With the room's lock held. */
    private @Nullable Line line;

    private long number;
    private volatile @Nullable Decision reservation;
    private volatile @Nullable Decision answer;
    private volatile @Nullable Throwable failure;

    /** What to answer if it comes to nothing; set before anybody else sees the waiter. */
    private @Nullable Decision refusal;

    /**
     * @param present whether the one who asked still wants to know
     * @param wake called when the waiter should look at {@link #due} and {@link #answer} again; does not block
     */
    Waiter(List<Charge> charges, long now, BooleanSupplier present, Runnable wake) {
        this.charges = charges;
        this.arrived = now;
        this.present = present;
        this.wake = wake;
    }

    /** Waits in that line for a release from now on, for as long as that charge would; {@code next} if it is new here. */
    void lineUp(Line line, Duration maxWait, long next) {
        this.line = line;
        this.deadline = arrived + nanos(maxWait);
        this.number = number == 0 ? next : number;
    }

    private static long nanos(Duration maxWait) {
        return (maxWait.compareTo(Limit.MAX_WINDOW) > 0 ? Limit.MAX_WINDOW : maxWait).toNanos();
    }

    @Nullable
    Line line() {
        return line;
    }

    /** First come, first served. */
    long number() {
        return number;
    }

    /** The charges by somebody who would not wait. */
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

    /** One whose presence cannot be told is gone: nobody else must suffer from that. */
    boolean isPresent() {
        try {
            return present.getAsBoolean();
        } catch (RuntimeException e) {
            return false;
        }
    }

    void wake() {
        wake.run();
    }

    /** When there is something to do for this one, in epoch nanoseconds; or UNDECIDED. */
    long due() {
        Decision turn = reservation;
        return turn == null ? deadline : turn.turn();
    }

    @Nullable
    Decision reservation() {
        return reservation;
    }

    void reserve(Decision decision) {
        reservation = decision;
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

    /** The answer of one who is done, or the exception that the storage failed with. */
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

    /** What the storage failed with; null if it did not. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    void answer(Decision decision) {
        answer = decision;
        wake();
    }

    void fail(@Nullable Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        failure = cause != null ? cause : new IllegalStateException("The storage answered nothing", thrown);
        wake();
    }

    void refuse() {
        if (refusal == null) {
            throw new IllegalStateException("Nobody waits without having been refused");
        }
        answer(refusal);
    }

    void refusal(Decision decision) {
        refusal = decision;
    }
}
