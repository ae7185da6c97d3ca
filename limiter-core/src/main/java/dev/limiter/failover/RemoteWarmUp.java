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
 * Connects, has the instance counted, looks at each rule once, and decides for as long as that gets faster: the first
 * decisions of a JVM take longer than a decision may. Blocks, for a limited time; ends at the first failure.
 */
final class RemoteWarmUp {

    /** A name that no rule may have. Its states expire within seconds. */
    static final Rule RULE = Rule.of("limiter:warm-up", Limit.tokenBucket(1_000_000, Duration.ofSeconds(1)));

    /** So many requests come together. */
    static final int TOGETHER = 64;

    /** So many rounds in a row have to be fast. */
    static final int FAST_ROUNDS = 20;

    /** A round is fast if it takes no more than this part of what a decision may take. */
    static final int FAST = 5;

    private final RemoteStorage remote;
    private final RemoteStorage.@Nullable Instances instances;
    private final Timeouts timeouts;
    private final Budget budget;
    private final TimeSource clock;

    /** {@code instances}: counts this one; null where their number is configured. */
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
            // twice, so that of two that start side by side both know of both
            count();
            load(List.copyOf(rules));
            decideUntilFast();
            count();
        } catch (StorageUnavailableException failure) {
            // requests are decided as their rules say
        }
    }

    private void count() {
        if (instances != null) {
            // a number that is not known hinders nothing
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
                // some share a call, some gather
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
