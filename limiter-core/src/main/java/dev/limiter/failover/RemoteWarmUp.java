package dev.limiter.failover;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import dev.limiter.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Connects, counts the instance, loads the scripts of all rules, and makes decisions until they are fast. Without this,
 * the first decisions of a JVM would exceed their budget. Blocks for a limited time; ends at the first failure.
 */
final class RemoteWarmUp {

    /** A rule with a name that applications cannot use. Its states expire within seconds. */
    static final Rule RULE = Rule.of("limiter:warm-up", Limit.tokenBucket(1_000_000, Duration.ofSeconds(1)));

    /** Requests per round. */
    static final int TOGETHER = 64;

    /** The number of fast rounds in a row that ends the warm-up. */
    static final int FAST_ROUNDS = 20;

    /** A round is fast if it takes at most this part of a budget. */
    static final int FAST = 5;

    private final RemoteStorage remote;
    private final RemoteStorage.@Nullable Instances instances;
    private final Timeouts timeouts;
    private final Budget budget;
    private final TimeSource clock;

    /** Creates a warm-up; {@code instances} is null if their number is configured. */
    RemoteWarmUp(RemoteStorage remote, RemoteStorage.@Nullable Instances instances, Duration atMost, TimeSource clock) {
        this.remote = remote;
        this.instances = instances;
        this.timeouts = new Timeouts(remote::failure);
        this.budget = Budget.blocking(atMost, clock);
        this.clock = clock;
    }

    void run(Collection<Rule> rules) {
        try {
            timeouts.join(remote.connected(), budget);
            // counted twice, so that two instances that start at the same time count each other
            count();
            load(List.copyOf(rules));
            decideUntilFast();
            count();
        } catch (StorageUnavailableException failure) {
            // requests are decided by the fallback of their rules
        }
    }

    private void count() {
        if (instances != null) {
            // without a number, the instance counts only itself
            timeouts.join(instances.count().handle((counted, failure) -> true), budget);
        }
    }

    private void load(List<Rule> rules) {
        for (int i = 0; i < rules.size(); i += TOGETHER) {
            List<Rule> some = rules.subList(i, Math.min(i + TOGETHER, rules.size()));
            join(some.stream().map(rule -> rule.charge(RULE.name(), 0)).toList());
        }
    }

    private void decideUntilFast() {
        long fast = remote.timeout().toNanos() / FAST;
        for (int round = 0, inARow = 0; inARow < FAST_ROUNDS && budget.left() > 0; round++) {
            List<Charge> charges = new ArrayList<>(TOGETHER);
            for (int i = 0; i < TOGETHER; i++) {
                // some requests share a call, others are batched
                charges.add(RULE.charge("" + i % (TOGETHER / 2), 1 + i % 2));
            }
            long begun = clock.epochNanos();
            timeouts.join(remote.ask(List.of(RULE.charge("" + round))), budget);
            join(charges);
            inARow = clock.epochNanos() - begun < fast ? inARow + 1 : 0;
        }
    }

    private void join(List<Charge> charges) {
        timeouts.join(
                CompletableFuture.allOf(charges.stream()
                        .map(charge -> remote.ask(List.of(charge)))
                        .toArray(CompletableFuture[]::new)),
                budget);
    }
}
