package dev.limiter;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Somebody in the waiting room: has a reservation and waits for its turn, or has none and waits for somebody else to
 * release what is held. Written with the room's lock held, read without.
 */
final class Waiter {

    final List<Charge> charges;

    /** When one who waits for a release gives up. */
    final long deadline;

    private final BooleanSupplier present;
    private final Runnable wake;
    private volatile @Nullable Decision reservation;
    private volatile @Nullable Decision answer;

    /** What to answer if it comes to nothing; set before anybody else sees the waiter. */
    private @Nullable Decision refusal;

    /**
     * @param present whether the one who asked still wants to know
     * @param wake called when the waiter should look at {@link #due} and {@link #answer} again; does not block
     */
    Waiter(List<Charge> charges, long now, BooleanSupplier present, Runnable wake) {
        this.charges = charges;
        this.deadline = now + maxWait(charges);
        this.present = present;
        this.wake = wake;
    }

    private static long maxWait(List<Charge> charges) {
        long longest = 0;
        for (Charge charge : charges) {
            boolean tooLong = charge.maxWait().compareTo(Limit.MAX_WINDOW) > 0;
            longest = Math.max(longest, (tooLong ? Limit.MAX_WINDOW : charge.maxWait()).toNanos());
        }
        return longest;
    }

    boolean isPresent() {
        return present.getAsBoolean();
    }

    void wake() {
        wake.run();
    }

    /** When there is something to do for this one, in epoch nanoseconds. */
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

    @Nullable
    Decision answer() {
        return answer;
    }

    void answer(Decision decision) {
        answer = decision;
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
