package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Decision;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Requests that Redis would refuse, as far as that follows from what it has answered: who was told to come back in a
 * minute, or took the last permit of a minute, need not ask before. Other instances only take more. Wrong for as long if
 * another instance gives back or resets, or if Redis loses its data. Thread-safe; bounded: of more it is not known.
 *
 * <p>Each state has a stamp, which changes when something of it is given back here: a refusal that was asked for before
 * that says nothing, whichever request it answered and whenever the answer came.
 */
final class KnownRefusals {

    private static final int MAX_REQUESTS = 10_000;

    /** Not worth remembering. */
    private static final long SHORTEST_MICROS = 100;

    /** Of all states: a power of two. States that share one forget more than they have to. */
    private static final int STAMPS = 4096;

    /** {@code parts} as they were answered at {@code asked}, refused until {@code until}, by the clock of this JVM. */
    private record Refusal(List<RedisDecision> parts, long stamp, long asked, long until) {}

    private final ConcurrentHashMap<Object, Refusal> refusals = new ConcurrentHashMap<>();
    private final AtomicIntegerArray stamps = new AtomicIntegerArray(STAMPS);

    /** The answer that Redis would give to a request, if it would certainly refuse; null if it has to be asked. */
    @Nullable
    Decision of(Object request) {
        if (refusals.isEmpty()) {
            return null;
        }
        Refusal refusal = refusals.get(request);
        if (refusal == null) {
            return null;
        }
        long now = System.nanoTime();
        if (refusal.until - now <= 0 || refusal.stamp != stampOf(refusal.parts)) {
            refusals.remove(request, refusal);
            return null;
        }
        long passedMicros = (now - refusal.asked) / 1000;
        List<RedisDecision> parts = refusal.parts;
        return parts.size() == 1
                ? parts.get(0).refusedAfter(passedMicros)
                : Decision.allOf(parts.stream()
                        .map(part -> part.refusedAfter(passedMicros))
                        .toList());
    }

    /** The stamps of all states that charges are about: they only grow, so the sum is the same if all are. */
    long stamp(List<Charge> charges) {
        long sum = 0;
        for (Charge charge : charges) {
            sum += stamps.get(position(charge));
        }
        return sum;
    }

    private long stampOf(List<RedisDecision> parts) {
        long sum = 0;
        for (RedisDecision part : parts) {
            sum += stamps.get(position(part.charge));
        }
        return sum;
    }

    private static int position(Charge charge) {
        int hash = 31 * charge.rule().name().hashCode() + charge.key().hashCode();
        return (hash ^ hash >>> 16) & STAMPS - 1;
    }

    /** {@code stamp} and {@code asked}: before Redis was, so that nobody is refused for longer than Redis would. */
    void learn(Object request, List<RedisDecision> answer, long stamp, long asked) {
        long micros = 0;
        for (RedisDecision part : answer) {
            micros = Math.max(micros, part.refusesForMicros());
        }
        if (micros >= SHORTEST_MICROS && refusals.size() < MAX_REQUESTS) {
            long until = asked + Math.min(micros, Long.MAX_VALUE / 4000) * 1000;
            refusals.put(request, new Refusal(answer, stamp, asked, until));
        }
    }

    /** Something may be had again of the state that a charge is about. */
    void forget(Charge charge) {
        stamps.incrementAndGet(position(charge));
    }

    void cleanUp() {
        long now = System.nanoTime();
        refusals.values().removeIf(refusal -> refusal.until - now <= 0);
    }
}
