package dev.limiter.redis;

import dev.limiter.Decision;
import dev.limiter.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Permits of concurrency limits that were had in memory: held in Redis, too, from when that is back. Thread-safe. */
final class InFlight {

    private final long permits;
    private final Map<Rule, Decision> leases = new HashMap<>(2);
    private boolean over;

    InFlight(long permits) {
        this.permits = permits;
    }

    long permits() {
        return permits;
    }

    /** Whether nothing has to be held any more, or this is already. */
    synchronized boolean holds(Rule rule) {
        return over || leases.containsKey(rule);
    }

    /** Has what was taken in Redis released with the rest, be it at once. */
    void hold(Rule rule, Decision lease) {
        if (!keep(rule, lease)) {
            lease.close();
        }
    }

    private synchronized boolean keep(Rule rule, Decision lease) {
        return !over && leases.putIfAbsent(rule, lease) == null;
    }

    void release() {
        List<Decision> held;
        synchronized (this) {
            over = true;
            held = List.copyOf(leases.values());
            leases.clear();
        }
        held.forEach(Decision::close);
    }
}
