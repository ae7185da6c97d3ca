package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Callers who want one permit of the same key share a call: while one is under way they gather, and the next one takes
 * the permits of all. With a lease a call takes more than that, for those who come later. Thread-safe; never blocks.
 */
final class SharedCalls {

    /** Asks Redis. */
    interface Taker {

        /**
         * Takes one permit for each of those who are there, as far as there are any, and some ahead.
         *
         * @param callers how many are there
         * @param ahead how many more permits to take at most
         */
        CompletableFuture<Block> take(Charge charge, int callers, long ahead);

        /** The refusal that follows from what Redis answered before; null if it has to be asked. */
        @Nullable
        Decision refusal(Charge charge);
    }

    /** For so many keys permits are taken ahead; of more keys only callers who are there share a call. */
    static final int MAX_KEYS = 10_000;

    /** So many keys are given back before the server is waited for, whose client queues no more than some. */
    private static final int AT_ONCE = 250;

    private final Taker taker;
    private final ConcurrentHashMap<Charge, Gathering> gatherings = new ConcurrentHashMap<>();

    SharedCalls(Taker taker) {
        this.taker = taker;
    }

    /** One of the permits that were taken ahead; null if there is none. */
    @Nullable
    Decision kept(Charge charge) {
        Gathering gathering = gatherings.get(charge);
        return gathering == null ? null : gathering.take();
    }

    /** {@code ahead}: how many permits to keep at most for those who come later. */
    CompletableFuture<Decision> decide(Charge charge, long ahead) {
        long bounded = ahead == 0 || gatherings.mappingCount() < MAX_KEYS ? ahead : 0;
        while (true) {
            Gathering gathering = gatherings.computeIfAbsent(
                    charge, absent -> new Gathering(taker, absent, bounded, ended -> gatherings.remove(absent, ended)));
            CompletableFuture<Decision> answer = gathering.enter();
            if (answer != null) {
                return answer;
            }
        }
    }

    /** Gives back what was taken ahead too long ago; {@code caughtUp} as for {@link #giveBackAll}. */
    void cleanUp(BooleanSupplier caughtUp) {
        giveBack(Block::isTooOld, caughtUp);
    }

    /** Gives back what was taken ahead of a key. */
    void giveBack(Charge charge) {
        Gathering gathering = gatherings.get(charge);
        if (gathering != null) {
            gathering.giveBack(block -> true);
        }
    }

    /**
     * Gives back all that was taken ahead.
     *
     * @param caughtUp waits until the server has answered what it was asked for; false if it does not: then the rest is kept
     */
    void giveBackAll(BooleanSupplier caughtUp) {
        giveBack(block -> true, caughtUp);
    }

    private void giveBack(Predicate<Block> which, BooleanSupplier caughtUp) {
        int given = 0;
        for (Gathering gathering : gatherings.values()) {
            int before = given;
            given += gathering.giveBack(which);
            if (given / AT_ONCE > before / AT_ONCE && !caughtUp.getAsBoolean()) {
                return;
            }
        }
    }
}
