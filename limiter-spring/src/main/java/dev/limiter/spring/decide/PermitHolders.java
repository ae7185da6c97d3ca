package dev.limiter.spring.decide;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

/**
 * Counts the permits of concurrency limits that requests and calls of this instance hold, by rule. Thread-safe.
 */
public final class PermitHolders {

    private final ConcurrentMap<String, LongAdder> byRule = new ConcurrentHashMap<>();
    private final TimeSource clock;
    private volatile BiConsumer<String, Duration> onRelease = (rule, held) -> {};

    public PermitHolders(TimeSource clock) {
        this.clock = clock;
    }

    /** Counts the concurrency permits of a request until the returned action runs, once. */
    Runnable hold(List<Charge> charges, Decision decision) {
        List<Held> held = new ArrayList<>(1);
        List<Decision> parts = decision.parts();
        for (int i = 0; i < charges.size(); i++) {
            Decision part = parts.size() == charges.size() ? parts.get(i) : decision;
            long permits = Verdict.isCounted(part) ? permits(charges.get(i)) : 0;
            if (permits > 0) {
                held.add(new Held(charges.get(i).rule().name(), permits));
            }
        }
        return () -> held.forEach(Held::release);
    }

    private static long permits(Charge charge) {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size())
                .filter(i -> limits.get(i) instanceof Limit.Concurrency)
                .mapToLong(charge::permits)
                .max()
                .orElse(0);
    }

    private final class Held {

        private final String rule;
        private final long permits;
        private final long since = clock.epochNanos();
        private final LongAdder count;
        private final AtomicBoolean released = new AtomicBoolean();

        Held(String rule, long permits) {
            this.rule = rule;
            this.permits = permits;
            this.count = byRule.computeIfAbsent(rule, name -> new LongAdder());
            count.add(permits);
        }

        void release() {
            if (released.compareAndSet(false, true)) {
                count.add(-permits);
                onRelease.accept(rule, Duration.ofNanos(clock.epochNanos() - since));
            }
        }
    }

    /** Sets the listener for releases: the rule and the time of the hold. It must be quick, and must not throw. */
    public void onRelease(BiConsumer<String, Duration> listener) {
        onRelease = listener;
    }

    /** Returns the number of held permits of a rule. */
    public long permits(String rule) {
        LongAdder held = byRule.get(rule);
        return held == null ? 0 : held.sum();
    }
}
