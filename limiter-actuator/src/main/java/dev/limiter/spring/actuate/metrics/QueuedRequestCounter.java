package dev.limiter.spring.actuate.metrics;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.RateLimiters;
import dev.limiter.WaitListener;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts queued requests and calls by rule. Thread-safe. */
public final class QueuedRequestCounter implements WaitListener {

    private final ConcurrentMap<String, LongAdder> byRule = new ConcurrentHashMap<>();

    public QueuedRequestCounter(RateLimiters limiters) {
        limiters.onWait(this);
    }

    public long of(String rule) {
        LongAdder waiting = byRule.get(rule);
        return waiting == null ? 0 : waiting.sum();
    }

    @Override
    public Wait comes(List<Charge> charges) {
        List<LongAdder> counts = rules(charges).stream()
                .map(rule -> byRule.computeIfAbsent(rule, name -> new LongAdder()))
                .toList();
        return new Wait() {
            @Override
            public void begins() {
                counts.forEach(LongAdder::increment);
            }

            @Override
            public void ends(@Nullable Decision decision) {
                counts.forEach(LongAdder::decrement);
            }
        };
    }

    /** Returns the names of the rules that allow the request to wait. */
    static List<String> rules(List<Charge> charges) {
        return charges.stream()
                .filter(charge -> !charge.maxWait().isZero())
                .map(charge -> charge.rule().name())
                .distinct()
                .toList();
    }
}
