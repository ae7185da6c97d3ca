package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Permits granted in memory. Once the shared storage is back, it also holds those of concurrency limits, until they are
 * released. Thread-safe.
 */
final class OutageGrant {

    final Charge charge;

    /** The generation of the {@link KeyUse} when this was made. */
    final int generation;

    private final KeyUse use;
    private final Map<Rule, Decision> holds = new HashMap<>(2);
    private boolean givenBack;
    private boolean over;

    OutageGrant(KeyUse use, Charge charge, int generation) {
        this.use = use;
        this.charge = charge;
        this.generation = generation;
    }

    /** Whether permits of a concurrency limit were granted. */
    boolean holdsPermits() {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size())
                .anyMatch(i -> charge.permits(i) > 0 && limits.get(i).isHeld());
    }

    /** How many were granted of a limit; the most of any if the rule had no such limit then. */
    long permits(Limit limit) {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size())
                .filter(i -> limits.get(i).name().equals(limit.name()))
                .mapToLong(charge::permits)
                .findFirst()
                .orElse(charge.permits());
    }

    /** Whether nothing has to be held any more, or this is already. */
    synchronized boolean holds(Rule rule) {
        return over || holds.containsKey(rule);
    }

    /**
     * Has a hold in the shared storage released with the rest, at once if that is over. Does nothing with a refusal.
     */
    void hold(Rule rule, Decision hold) {
        if (!hold.permitted()) {
            return;
        }
        synchronized (this) {
            if (!over && holds.putIfAbsent(rule, hold) == null) {
                use.held(this);
                return;
            }
        }
        hold.close();
    }

    void giveBack() {
        synchronized (this) {
            if (givenBack) {
                return;
            }
            givenBack = true;
            use.givenBack(this);
        }
        release();
    }

    void release() {
        List<Decision> held;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            held = List.copyOf(holds.values());
            holds.clear();
            use.released(this, held.isEmpty());
        }
        held.forEach(Decision::close);
    }
}
