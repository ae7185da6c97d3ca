package dev.limiter.redis.ahead;

import dev.limiter.Charge;
import dev.limiter.Decision;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Callers of one permit of the same key share a call: while one call is under way they gather, and the next call takes
 * the permits of all. On a slow connection several calls may be under way, so that no caller waits for much longer than
 * one. With a lease a call takes more permits, for later callers. Thread-safe; never blocks.
 */
public final class SharedCalls {

    /** Asks Redis. */
    public interface Taker {

        /**
         * Takes one permit for each caller that is there, as far as there are any, and some ahead.
         *
         * @param callers how many are there
         * @param ahead how many more permits to take at most
         */
        CompletableFuture<LeasedPermits> take(Charge charge, int callers, long ahead);

        /** How many permits to keep at most for later callers; it may change. */
        long ahead(Charge charge);

        /** How many calls for the key may be under way before its callers gather, 1 or more. */
        int callsAtOnce(Charge charge);

        /** The refusal that follows from what Redis answered before; null if it has to be asked. */
        @Nullable
        Decision refusal(Charge charge);
    }

    /** The most keys with permits taken ahead; of further keys only present callers share a call. */
    public static final int MAX_KEYS = 10_000;

    /** So many keys are given back before the server is waited for, whose client queues no more than some. */
    private static final int AT_ONCE = 250;

    private final Taker taker;
    private final ConcurrentHashMap<Charge, CallersOfKey> byKey = new ConcurrentHashMap<>();

    public SharedCalls(Taker taker) {
        this.taker = taker;
    }

    /** One of the permits that were taken ahead; null if there is none. */
    public @Nullable Decision kept(Charge charge) {
        CallersOfKey callers = byKey.get(charge);
        return callers == null ? null : callers.take();
    }

    public CompletableFuture<Decision> decide(Charge charge) {
        boolean keeps = byKey.mappingCount() < MAX_KEYS;
        while (true) {
            CallersOfKey callers = byKey.computeIfAbsent(
                    charge, absent -> new CallersOfKey(taker, absent, keeps, ended -> byKey.remove(absent, ended)));
            CompletableFuture<Decision> answer = callers.enter();
            if (answer != null) {
                return answer;
            }
        }
    }

    /** Gives back what was taken ahead too long ago; {@code caughtUp} as for {@link #giveBackAll}. */
    public void cleanUp(BooleanSupplier caughtUp) {
        giveBack(LeasedPermits::isTooOld, caughtUp);
    }

    /** Gives back what was taken ahead of a key, under whatever limits of the rule. Looks at all keys. */
    public void giveBack(String rule, String key) {
        callers(rule, key).forEach(callers -> callers.giveBack(block -> true));
    }

    /** Forgets what was taken ahead of a key from a state that is gone: nobody has it, and nothing is given back. */
    public void forget(String rule, String key) {
        callers(rule, key).forEach(CallersOfKey::forget);
    }

    /** The callers of a key by limits of its own, of its tier or of the rule; those in force may have changed. */
    private Stream<CallersOfKey> callers(String rule, String key) {
        return byKey.entrySet().stream()
                .filter(entry -> entry.getKey().key().equals(key)
                        && entry.getKey().rule().name().equals(rule))
                .map(Map.Entry::getValue);
    }

    /**
     * Gives back all that was taken ahead.
     *
     * @param caughtUp waits until the server has answered what it was asked for; false if it does not:
     *     then the rest is kept
     */
    public void giveBackAll(BooleanSupplier caughtUp) {
        giveBack(block -> true, caughtUp);
    }

    private void giveBack(Predicate<LeasedPermits> which, BooleanSupplier caughtUp) {
        int given = 0;
        for (CallersOfKey callers : byKey.values()) {
            int before = given;
            given += callers.giveBack(which);
            if (given / AT_ONCE > before / AT_ONCE && !caughtUp.getAsBoolean()) {
                return;
            }
        }
    }
}
