package dev.limiter.redis;

import dev.limiter.Algorithm;
import dev.limiter.Charge;
import dev.limiter.Limit;
import dev.limiter.LimitStatus;
import dev.limiter.RateLimiterStorage;
import dev.limiter.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What was permitted in memory while Redis was gone, and is to count there as well: it is charged when its key is decided
 * on for the first time after that; what is still in flight is held there until it is released. In memory it goes on
 * counting, so that one outage after the other does not permit one share after the other. Thread-safe.
 */
final class LocalUse {

    /** Of more keys it is forgotten. */
    private static final int MAX_KEYS = 100_000;

    static final Runnable NOTHING = () -> {};

    private record Line(String rule, String key) {}

    private final RateLimiterStorage local;
    private final RateLimiterStorage redis;

    /** So many permits, of the rule as it was decided in memory. */
    private record Use(Rule rule, long permits) {

        Use plus(Use more) {
            long sum = permits + more.permits;
            return new Use(more.rule, sum < 0 ? Long.MAX_VALUE : sum);
        }
    }

    /** What Redis does not know of yet. */
    private final ConcurrentMap<Line, Use> used = new ConcurrentHashMap<>();

    private final ConcurrentMap<Line, Set<InFlight>> inFlight = new ConcurrentHashMap<>();

    LocalUse(RateLimiterStorage local, RateLimiterStorage redis) {
        this.local = local;
        this.redis = redis;
    }

    /** Returns what to do when the permits are released. */
    Runnable remember(Charge charge) {
        Line line = new Line(charge.rule().name(), charge.key());
        if (used.size() >= MAX_KEYS && !used.containsKey(line)) {
            return NOTHING;
        }
        InFlight holder = isHeld(charge) ? new InFlight(charge.permits()) : null;
        if (holder != null) {
            add(line, holder);
        }
        used.merge(line, new Use(charge.rule(), charge.permits()), Use::plus);
        return holder == null ? NOTHING : () -> release(line, holder);
    }

    private static boolean isHeld(Charge charge) {
        return charge.permits() > 0 && charge.rule().limits().stream().anyMatch(LocalUse::isHeld);
    }

    private static boolean isHeld(Limit limit) {
        return limit.algorithm() == Algorithm.CONCURRENCY;
    }

    private void add(Line line, InFlight holder) {
        inFlight.compute(line, (same, holders) -> {
            Set<InFlight> all = holders == null ? ConcurrentHashMap.newKeySet() : holders;
            all.add(holder);
            return all;
        });
    }

    private void release(Line line, InFlight holder) {
        inFlight.computeIfPresent(line, (same, holders) -> {
            holders.remove(holder);
            return holders.isEmpty() ? null : holders;
        });
        holder.release();
    }

    /** Charges in Redis what was used of these in memory; done at once if that is nothing. */
    CompletableFuture<?> settle(List<Charge> charges) {
        if (used.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<CompletableFuture<?>> settled = new ArrayList<>();
        for (Charge charge : charges) {
            Line line = new Line(charge.rule().name(), charge.key());
            Use use = used.remove(line);
            if (use != null) {
                settled.add(settle(charge, use).whenComplete((done, failure) -> {
                    if (failure != null) {
                        used.merge(line, use, Use::plus);
                    }
                }));
            }
        }
        return CompletableFuture.allOf(settled.toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<?> settle(Charge charge, Use use) {
        List<LimitStatus> statuses = local.peek(use.rule(), charge.key()).limits();
        Line line = new Line(charge.rule().name(), charge.key());
        Set<InFlight> holders = inFlight.getOrDefault(line, Set.of());
        List<CompletableFuture<?>> settled = new ArrayList<>(statuses.size());
        for (int i = 0; i < statuses.size(); i++) {
            Limit limit = charge.rule().limits().get(i);
            // a rule of the same name with this limit alone has the same state of it
            Rule alone = Rule.of(charge.rule().name(), limit);
            if (isHeld(limit)) {
                holders.forEach(holder -> settled.add(hold(holder, alone, charge.key())));
                continue;
            }
            Limit share = use.rule().limits().get(i);
            // no more than still counts: the rest was given back, or was long ago
            long counting = Math.min(share.capacity() - statuses.get(i).remaining(), limit.capacity());
            long permits = Math.min(use.permits(), counting);
            if (permits > 0) {
                settled.add(charge(alone, charge.key(), permits));
            }
        }
        return CompletableFuture.allOf(settled.toArray(CompletableFuture[]::new));
    }

    /** If there are so many; what is in flight goes on anyway. */
    private CompletableFuture<?> hold(InFlight holder, Rule rule, String key) {
        return holder.holds(rule)
                ? CompletableFuture.completedFuture(null)
                : redis.decideAsync(List.of(rule.charge(key, holder.permits())))
                        .thenAccept(lease -> holder.hold(rule, lease))
                        .toCompletableFuture();
    }

    /** As many as there are, if there are fewer. */
    private CompletableFuture<?> charge(Rule rule, String key, long permits) {
        return redis.decideAsync(List.of(rule.charge(key, permits)))
                .toCompletableFuture()
                .thenCompose(decision -> decision.permitted() || decision.remaining() == 0
                        ? CompletableFuture.completedFuture(decision)
                        : redis.decideAsync(List.of(rule.charge(key, Math.min(decision.remaining(), permits)))));
    }
}
