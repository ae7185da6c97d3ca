package dev.limiter.spring.decide;

import static java.util.Comparator.comparing;

import dev.limiter.Charge;
import dev.limiter.Decision;
import dev.limiter.Limit;
import dev.limiter.TimeSource;
import dev.limiter.spring.compile.RateLimitRule;
import dev.limiter.spring.compile.RuleContexts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The requests and calls of this instance that hold permits of concurrency limits. Thread-safe.
 */
public final class PermitHolders {

    private final Map<String, Set<HeldPermit>> byRule = new ConcurrentHashMap<>();
    private final TimeSource clock;
    private volatile BiConsumer<HeldPermit, Duration> onRelease = (permit, held) -> {};

    public PermitHolders(TimeSource clock) {
        this.clock = clock;
    }

    /** Records the concurrency permits of a request until the returned action runs. */
    Runnable hold(List<RateLimitRule> rules, List<Charge> charges, Decision decision, RuleContexts contexts) {
        List<HeldPermit> held = new ArrayList<>(1);
        List<Decision> parts = decision.parts();
        for (int i = 0; i < charges.size(); i++) {
            Decision part = parts.size() == charges.size() ? parts.get(i) : decision;
            long permits = Verdict.isCounted(part) ? permits(charges.get(i)) : 0;
            if (permits > 0) {
                held.add(add(charges.get(i), permits, contexts.resource(rules.get(i))));
            }
        }
        return () -> held.forEach(this::release);
    }

    private static long permits(Charge charge) {
        List<Limit> limits = charge.rule().limits();
        return IntStream.range(0, limits.size())
                .filter(i -> limits.get(i) instanceof Limit.Concurrency)
                .mapToLong(charge::permits)
                .max()
                .orElse(0);
    }

    private HeldPermit add(Charge charge, long permits, String resource) {
        Instant since = Instant.ofEpochSecond(0, clock.epochNanos());
        String thread = Thread.currentThread().getName();
        HeldPermit permit = new HeldPermit(charge.rule().name(), charge.key(), permits, resource, thread, since);
        byRule.computeIfAbsent(permit.rule(), rule -> ConcurrentHashMap.newKeySet())
                .add(permit);
        return permit;
    }

    /** Does nothing if it was released. */
    private void release(HeldPermit permit) {
        if (byRule.getOrDefault(permit.rule(), Set.of()).remove(permit)) {
            onRelease.accept(permit, age(permit));
        }
    }

    /** Removes all permits of a key, after its state was reset. */
    public void forget(String rule, String key) {
        Set<HeldPermit> held = byRule.get(rule);
        if (held != null) {
            held.removeIf(permit -> permit.key().equals(key));
        }
    }

    /** Returns the time since the permit was granted, zero or more. */
    public Duration age(HeldPermit permit) {
        return Duration.between(permit.since(), Instant.ofEpochSecond(0, clock.epochNanos()));
    }

    /** Sets the listener for releases and their hold times. It must be quick, and must not throw. */
    public void onRelease(BiConsumer<HeldPermit, Duration> listener) {
        onRelease = listener;
    }

    /**
     * Returns the held permits of a rule, oldest first; of all keys if {@code key} is null. Not a consistent snapshot.
     */
    public List<HeldPermit> of(String rule, @Nullable String key) {
        return held(rule)
                .filter(permit -> key == null || key.equals(permit.key()))
                .sorted(comparing(HeldPermit::since))
                .toList();
    }

    /** Returns the number of held permits of a rule. */
    public long permits(String rule) {
        return held(rule).mapToLong(HeldPermit::permits).sum();
    }

    private Stream<HeldPermit> held(String rule) {
        return byRule.getOrDefault(rule, Set.of()).stream();
    }
}
