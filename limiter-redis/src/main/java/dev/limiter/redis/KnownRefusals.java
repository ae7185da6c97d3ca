package dev.limiter.redis;

import dev.limiter.Decision;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Requests that Redis would refuse, as far as that follows from what it has answered: who was told to come back in a
 * minute, or took the last permit of a minute, need not ask before. Other instances only take more. Wrong for as long if
 * another instance gives back or resets, or if Redis loses its data. Thread-safe; bounded: of more it is not known.
 */
final class KnownRefusals {

    private static final int MAX_REQUESTS = 10_000;

    /** Not worth remembering. */
    private static final long SHORTEST_MICROS = 100;

    /** {@code parts} as they were answered at {@code asked}, refused until {@code until}, by the clock of this JVM. */
    private record Refusal(List<RedisDecision> parts, long asked, long until) {}

    private final ConcurrentHashMap<Object, Refusal> refusals = new ConcurrentHashMap<>();

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
        if (refusal.until - now <= 0) {
            refusals.remove(request, refusal);
            return null;
        }
        long passedMicros = (now - refusal.asked) / 1000;
        return Decision.allOf(refusal.parts.stream()
                .map(part -> part.refusedAfter(passedMicros))
                .toList());
    }

    /** {@code asked}: before Redis was, so that nobody is refused for longer than Redis would. */
    void learn(Object request, List<RedisDecision> answer, long asked) {
        long micros = 0;
        for (RedisDecision part : answer) {
            micros = Math.max(micros, part.refusesForMicros());
        }
        if (micros >= SHORTEST_MICROS && refusals.size() < MAX_REQUESTS) {
            refusals.put(request, new Refusal(answer, asked, asked + Math.min(micros, Long.MAX_VALUE / 4000) * 1000));
        }
    }

    void forget(Object request) {
        refusals.remove(request);
    }

    void clear() {
        refusals.clear();
    }

    void cleanUp() {
        long now = System.nanoTime();
        refusals.values().removeIf(refusal -> refusal.until - now <= 0);
    }
}
