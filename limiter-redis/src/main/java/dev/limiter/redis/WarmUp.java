package dev.limiter.redis;

import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Connects, loads the scripts of rules, and decides for as long as that gets faster: the first decisions of a JVM take longer
 * than a decision may. Blocks, for a limited time; ends at the first failure.
 */
final class WarmUp {

    /** Nothing that a rule may be called. Its states expire within seconds. */
    private static final Rule RULE = Rule.of("limiter:warm-up", Limit.tokenBucket(1_000_000, Duration.ofSeconds(1)));

    /** So many requests come together. */
    private static final int TOGETHER = 64;

    /** So many rounds in a row have to be fast. */
    private static final int FAST_ROUNDS = 20;

    /** A round is fast if it takes no more than this part of what a decision may take. */
    private static final int FAST = 5;

    private final RedisRateLimiterStorage redis;
    private final Budget budget;

    WarmUp(RedisRateLimiterStorage redis, Duration atMost) {
        this.redis = redis;
        this.budget = Budget.of(atMost);
    }

    void run(Collection<Rule> rules) {
        try {
            Timeouts.join(redis.redis().connected(), budget);
            load(List.copyOf(rules));
            decideUntilFast();
        } catch (RedisUnavailableException | BrokenStateException failure) {
            // requests are decided as their rules say
        }
    }

    private void load(List<Rule> rules) {
        for (int i = 0; i < rules.size(); i += TOGETHER) {
            List<Rule> some = rules.subList(i, Math.min(i + TOGETHER, rules.size()));
            join(some.stream().map(rule -> rule.charge(RULE.name(), 0)).toList());
        }
    }

    private void decideUntilFast() {
        long fast = redis.timeout().toNanos() / FAST;
        for (int round = 0, inARow = 0; inARow < FAST_ROUNDS && budget.left() > 0; round++) {
            List<Charge> charges = new ArrayList<>(TOGETHER);
            for (int i = 0; i < TOGETHER; i++) {
                // some share a call, some gather
                charges.add(RULE.charge("" + i % (TOGETHER / 2), 1 + i % 2));
            }
            long begun = System.nanoTime();
            Timeouts.join(redis.ask(List.of(RULE.charge("" + round))), budget);
            join(charges);
            inARow = System.nanoTime() - begun < fast ? inARow + 1 : 0;
        }
    }

    private void join(List<Charge> charges) {
        Timeouts.join(
                CompletableFuture.allOf(charges.stream()
                        .map(charge -> redis.ask(List.of(charge)))
                        .toArray(CompletableFuture[]::new)),
                budget);
    }
}
